"""What the programs of peers print: ``python FILE ROUNDS [NAME …]`` gives a JSON object.

For each part: volume, area and box of the exact body, the processor's seconds of the quickest of some rounds,
and how many lines its function has. A round makes the body, its volume and triangles within 0.02 mm. What the
processor spends, on all threads, hardly depends on what else the machine does.
"""

import inspect
import json
import sys
import time

from OCP.BRepMesh import BRepMesh_IncrementalMesh


def run(program, body, volume, area, box):
    """program: the names of a file, a function for each part; then how its system says body and figures."""
    functions = {
        name: value
        for name, value in program.items()
        if inspect.isfunction(value) and value.__module__ == "__main__"
    }
    shared = {name: inspect.getsource(value) for name, value in functions.items() if name.startswith("_")}

    def measured(name):
        made, spent = functions[name], []
        for _ in range(rounds):
            start = time.process_time()
            part = body(made())
            filled = volume(part)
            # their own `tessellate` takes a tolerance for a part of each edge's length, so that they would
            # be coarser; it goes by the mesh that is there
            BRepMesh_IncrementalMesh(part.wrapped, 0.02, False, 0.2, False)
            part.tessellate(0.02, 0.2)
            spent.append(time.process_time() - start)
        source = inspect.getsource(made)
        source += "".join(shared[name] for name in made.__code__.co_names if name in shared)
        corners = box(body(made()))  # CadQuery's would be that of the triangles
        lines = len([line for line in source.splitlines() if line.strip()]) - 1
        return {"volume": filled, "area": area(part), "box": corners, "seconds": min(spent), "lines": lines}

    rounds, asked = int(sys.argv[1]), sys.argv[2:] or functions.keys() - shared
    print(json.dumps({name: measured(name) for name in functions if name in asked}))
