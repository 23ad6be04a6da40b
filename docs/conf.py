"""The documentation site: `make docs`, or `sphinx-build -W docs build/docs`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from fesl import __version__

project = "fesl"
author = "The fesl developers"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml", "docstrings"]
exclude_patterns = ["_ext", "_static", "tools"]
nitpicky = True
#: What a type hint names outside of fesl, and names that are not public: there is no page to link to.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!fesl\.).*"),
    (r"py:.*", r"fesl\.(paper\.Shared|recovery\.lens\.Block|models\.recovered\.Lens)"),
    (r"py:.*", r"fesl\.reproduction\.experiment\.(Cell|Shape)"),
]
suppress_warnings = ["config.cache"]

# Pages

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

# Reference

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
#: Shown by their own names, not by what they stand for.
_ALIASES = ("ArrayLike", "Event", "Floats", "Ints", "Label", "Matrix", "Name", "Order", "Span", "Step", "Task")
autodoc_type_aliases = {alias: alias for alias in _ALIASES} | {"npt.ArrayLike": "ArrayLike"}
autodoc_default_options = {"members": True}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
default_role = "code"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# Looks

html_theme = "furo"
html_title = "fesl"
html_static_path = ["_static"]
html_css_files = ["fesl.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6b6b", "color-brand-content": "#0b6b6b"},
    "dark_css_variables": {"color-brand-primary": "#5cc5c0", "color-brand-content": "#5cc5c0"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"
