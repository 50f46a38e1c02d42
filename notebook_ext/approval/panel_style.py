"""How a question looks: readable in light and dark themes, with and without JupyterLab's variables.

Every text has a contrast of at least 4.5 to 1 with what it stands on.
"""

from __future__ import annotations

from typing import Final

__all__ = ["STYLE"]

_DARK: Final = (
    "--vcad-ask-write: #e3a008; --vcad-ask-danger: #ff8a80; --vcad-ask-badge-text: #1b1b1b;"
    " --vcad-ask-added: #7ee787; --vcad-ask-removed: #ffa198; --vcad-ask-error: #ffa198;"
)

STYLE: Final = f"""<style>
.vcad-ask {{
  --vcad-ask-write: #8a5200; --vcad-ask-danger: #b71c1c; --vcad-ask-badge-text: #fff;
  --vcad-ask-added: #116329; --vcad-ask-removed: #a40e26; --vcad-ask-error: #a40e26;
  --vcad-ask-accent: var(--vcad-ask-write);
  border: 1px solid var(--jp-border-color1, #bbb); border-left: 4px solid var(--vcad-ask-accent);
  border-radius: 3px; padding: 8px 10px; margin: 6px 0; gap: 4px; max-width: 760px;
  color: var(--jp-ui-font-color1, inherit); background: var(--jp-layout-color1, transparent);
  overflow: visible;
}}
[data-jp-theme-light="false"] .vcad-ask, .vscode-dark .vcad-ask, html[theme="dark"] .vcad-ask {{ {_DARK} }}
.vcad-ask-X, .vcad-ask-D {{ --vcad-ask-accent: var(--vcad-ask-danger); }}
.vcad-ask > * {{ flex: none; max-width: 100%; }}
.vcad-ask .widget-html-content {{ line-height: 20px; }}
.vcad-ask-badge {{ border-radius: 3px; padding: 1px 7px; margin-right: 8px; font-weight: 600;
  color: var(--vcad-ask-badge-text); background: var(--vcad-ask-accent); }}
.vcad-ask-summary {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.vcad-ask-note {{ font-weight: 600; color: var(--vcad-ask-error); }}
.vcad-ask .widget-textarea {{ flex-direction: column; align-items: stretch; width: auto; margin: 2px 0;
  height: auto; }}
.vcad-ask .widget-textarea .widget-label, .vcad-ask-label {{ width: auto; text-align: left;
  font-size: 12px; color: var(--jp-ui-font-color2, inherit); }}
.vcad-ask .widget-textarea textarea {{ font: 12px/17px var(--jp-code-font-family, monospace); height: auto;
  color: var(--jp-content-font-color1, inherit); background: var(--jp-layout-color0, transparent);
  overflow-wrap: anywhere; resize: vertical; }}
.vcad-ask pre {{ font: 12px/17px var(--jp-code-font-family, monospace); max-height: 260px; overflow: auto;
  margin: 2px 0; padding: 4px 6px; white-space: pre-wrap; overflow-wrap: anywhere;
  color: var(--jp-content-font-color1, inherit);
  background: var(--jp-layout-color2, rgba(127,127,127,.12)); }}
.vcad-ask-added {{ color: var(--vcad-ask-added); }} .vcad-ask-removed {{ color: var(--vcad-ask-removed); }}
.vcad-ask-error {{ color: var(--vcad-ask-error); }}
.vcad-ask img {{ max-width: 320px; max-height: 240px; border-radius: 3px; }}
.vcad-ask .jupyter-button {{ width: auto; padding: 0 12px; }}
.vcad-ask .jupyter-button:focus-visible, .vcad-ask textarea:focus-visible, .vcad-ask input:focus-visible {{
  outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 1px; }}
.vcad-ask .jupyter-button.mod-success {{ background: #1b6e2c; color: #fff; }}
.vcad-ask .jupyter-button.mod-danger {{ background: #b71c1c; color: #fff; }}
.vcad-ask-answer {{ position: sticky; bottom: 0; overflow: visible;
  background: var(--jp-layout-color1, inherit); }}
.vcad-ask-buttons {{ flex-flow: row wrap; align-items: center; }}
.vcad-ask-buttons .widget-text {{ width: 300px; flex: 1 1 200px; }}
.vcad-ask-buttons .widget-text .widget-label {{ width: auto; }}
</style>"""
