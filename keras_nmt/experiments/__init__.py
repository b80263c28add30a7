"""From files to scores: experiments, recipes, comparisons, and the settings of the papers."""
