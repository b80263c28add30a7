"""A page in the browser that translates and shows the insides of models. Needs the extra `demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.demo.demo_page import demo_page
    from keras_nmt.demo.demo_server import DemoServer
    from keras_nmt.demo.demo_systems import DemoSystem, demo_systems

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "demo_page": ["demo_page"],
        "demo_server": ["DemoServer"],
        "demo_systems": ["DemoSystem", "demo_systems"],
    },
)

__all__ = ["DemoServer", "DemoSystem", "demo_page", "demo_systems"]
