"""What an agent is told before anything else: what this server is for, the loop, where the reference is.

Clients that load tools late show a model only this and the tools' names, so it stays under 2 kB.
"""

from __future__ import annotations

from typing import Final

__all__ = ["INSTRUCTIONS", "NAME"]

NAME: Final = "vcad"

INSTRUCTIONS: Final = """\
You are in the same modelling session as a person: their notebook, its named parts (nodes), \
design_model.json, and SketchUp when it runs. What you change they see at once; risky calls wait for \
their yes in the notebook. Use these tools, not a shell, for everything about the model. Lengths are mm \
(or text: "2 m", "6'", "3/4 in"), angles degrees, Z up.

The loop:
1. session_info, then vcad_list_nodes: what is there, and where the workspace is.
2. Write the part as a Loon file (set_file_slice; start_line 1, end_line 0 makes a new file), e.g. \
parts/lid.cmp.oo. vcad_check finds mistakes without building; vcad_eval tries an expression.
3. vcad_place puts it into the session and SketchUp; after an edit vcad_update. vcad_set_parameter \
changes a declared number without editing.
4. Measure with vcad_inspect, look with vcad_screenshot, compare with what was asked, repeat.

Answers have success. A failure has error, error_code and details; details.fix says what to do next, and \
where a source is wrong, details has file, line and column. REVISION_CONFLICT: somebody else changed the \
node; read it again with vcad_node. APPROVAL_DENIED: the person said no, and why; do not try another way \
around. Pass expected_revision when you change what you have read. SketchUp need not run: then parts are \
in the session and go to SketchUp with the next push.

Reference: resources vcad://reference (contents), vcad://reference/NAME (one function, with examples), \
vcad://node/NAME/source, vcad://diagnostics.
"""
