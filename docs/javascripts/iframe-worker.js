// Search in pages that are opened as files. Browsers start no Worker from a file, so a hidden frame runs the Worker's script.
// Material for MkDocs loads this script because of its name, in place of one from another host, and looks for IFrameWorker.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = Object.assign(document.createElement("iframe"), { hidden: true });
      const load = (source) =>
        new Promise((resolve, reject) => {
          const script = frame.contentDocument.createElement("script");
          Object.assign(script, { src: source, onload: resolve, onerror: () => reject(new Error(`${source} is missing`)) });
          frame.contentDocument.head.appendChild(script);
        });
      const empty = new Promise((resolve) => { frame.onload = resolve; });
      document.body.appendChild(frame);
      this.script = empty.then(() => {
        this.scope = frame.contentWindow;
        this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        this.scope.importScripts = (...urls) => urls.reduce((last, next) => last.then(() => load(next)), Promise.resolve());
        return load(url);
      });
    }

    postMessage(data) {
      this.script.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
