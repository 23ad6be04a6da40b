"""Formulas as MathML, made when the site is built: no script, no font, no network.

docutils turns LaTeX into MathML, which browsers draw by themselves.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

log = logging.getLogger(__name__)


def drawn(node: nodes.Element, *, as_block: bool) -> str:
    """A formula; one that cannot be drawn is a warning, and shown as it is written."""
    text = node.astext().strip()
    if as_block and r"\\" in text and r"\begin" not in text:
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    try:
        found = str(tex2mathml(text, as_block=as_block))
        return re.sub(r"(<mi>ln</mi>)(?!\s*<mo[^>]*>\()", r'\1<mspace width="0.17em"/>', found)
    except MathError as error:
        log.warning("this formula cannot be drawn: %s (%s)", text, error, location=node)
        return f"<code>{escape(text)}</code>"


def inline(self: Any, node: nodes.math) -> None:
    self.body.append(drawn(node, as_block=False))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    self.body.append(f'<div class="math">{drawn(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
