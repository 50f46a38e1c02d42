/** The commands as buttons, in their groups. */

import type { JSX } from "preact";

import { GROUPS, useful, type Command } from "../commands";
import type { Viewer } from "../viewer";
import { Icon } from "./icons";

export function Toolbar({ viewer }: { viewer: Viewer }): JSX.Element {
  const commands = useful(viewer).filter((command) => !command.hidden);
  return (
    <div class="toolbar" role="toolbar" aria-label="Viewer">
      {GROUPS.map((group) => (
        <div class="group" role="group" aria-label={group} key={group}>
          {commands.filter((command) => command.group === group).map((command) => (
            <CommandButton command={command} viewer={viewer} key={command.id} />
          ))}
        </div>
      ))}
    </div>
  );
}

function CommandButton({ command, viewer }: { command: Command; viewer: Viewer }): JSX.Element {
  const on = command.on?.(viewer);
  return (
    <button
      type="button"
      class="tool"
      data-command={command.id}
      aria-label={command.label}
      aria-pressed={on}
      title={`${command.label} (${command.key})`}
      onClick={() => command.run(viewer)}
    >
      <Icon name={command.icon} />
    </button>
  );
}
