/**
 * Loon in JupyterLab: the plugins, and what each of them is given.
 *
 * The only file that knows JupyterLab's registries.
 */

import type { ISharedCell } from '@jupyter/ydoc';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import type { ICellModel } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { PageConfig } from '@jupyterlab/coreutils';
import { IEditorTracker } from '@jupyterlab/fileeditor';
import { INotebookTracker, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';

import { showAsks } from './asks.js';
import { followCellLinks } from './cellLinks.js';
import { whileLoon } from './cells.js';
import { type Checker, diagnostics } from './diagnostics.js';
import { addFormatCommand, FORMAT_COMMAND } from './format.js';
import { loonIcon } from './icon.js';
import { loon, loonCell } from './language.js';
import { NotebookCells } from './notebookCells.js';
import { NotebookComms } from './notebookComms.js';
import { findings } from './protocol.js';
import { removeEmptyOutputs } from './outputs.js';
import { ILanguageService, NotebookLanguageService } from './service.js';
import { showViews } from './views.js';
import { shareWheel } from './wheel.js';

/** JupyterLab's commands by which a person stops what a kernel does. */
const INTERRUPTS = ['notebook:interrupt-kernel', 'kernelmenu:interrupt'];

const language: JupyterFrontEndPlugin<void> = {
  id: 'vcad-workbench:language',
  description: 'Loon as a language of the editor, and as a type of file.',
  autoStart: true,
  requires: [IEditorLanguageRegistry],
  activate: (app: JupyterFrontEnd, languages: IEditorLanguageRegistry) => {
    languages.addLanguage({
      name: 'loon',
      displayName: 'Loon',
      mime: 'text/x-loon',
      extensions: ['oo', 'loon', 'cmp.oo'],
      support: loon
    });
    app.docRegistry.addFileType(
      {
        name: 'loon',
        displayName: 'Loon',
        extensions: ['.oo', '.loon', '.cmp.oo'],
        mimeTypes: ['text/x-loon'],
        icon: loonIcon
      },
      ['Editor']
    );
  }
};

const service: JupyterFrontEndPlugin<ILanguageService> = {
  id: 'vcad-workbench:service',
  description: 'Answers about Loon text from the kernels of notebooks.',
  autoStart: true,
  requires: [INotebookTracker],
  provides: ILanguageService,
  activate: (_: JupyterFrontEnd, notebooks: INotebookTracker) => new NotebookLanguageService(notebooks)
};

const cells: JupyterFrontEndPlugin<void> = {
  id: 'vcad-workbench:cells',
  description: 'Highlights %%loon cells and underlines what a check finds in them.',
  autoStart: true,
  requires: [IEditorExtensionRegistry, ILanguageService],
  activate: (_: JupyterFrontEnd, extensions: IEditorExtensionRegistry, answers: ILanguageService) => {
    extensions.addExtension({
      name: 'vcad-workbench:loon-cell',
      factory: ({ model }) => {
        if (!isCellModel(model) || model.type !== 'code') {
          return null;
        }
        const loon = [loonCell, diagnostics(checker(model.sharedModel, answers))];
        return EditorExtensionRegistry.createImmutableExtension(
          whileLoon(model.sharedModel.getSource(), loon)
        );
      }
    });
  }
};

const format: JupyterFrontEndPlugin<void> = {
  id: 'vcad-workbench:format',
  description: 'Formats Loon cells and files.',
  autoStart: true,
  requires: [ILanguageService, INotebookTracker],
  optional: [IEditorTracker, ICommandPalette],
  activate: (
    { commands, shell }: JupyterFrontEnd,
    service: ILanguageService,
    notebooks: INotebookTracker,
    files: IEditorTracker | null,
    palette: ICommandPalette | null
  ) => {
    addFormatCommand(commands, { service, notebooks, files, current: () => shell.currentWidget });
    palette?.addItem({ command: FORMAT_COMMAND, category: 'Loon' });
  }
};

const notebooks: JupyterFrontEndPlugin<void> = {
  id: 'vcad-workbench:notebooks',
  description: 'Reads, changes and runs cells for agents in the session of a notebook.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: ({ commands, serviceManager }: JupyterFrontEnd, tracker: INotebookTracker) => {
    const cells = new NotebookCells({
      notebooks: tracker,
      root: PageConfig.getOption('serverRoot'),
      localPath: path => serviceManager.contents.localPath(path),
      run: (panel, cell) => NotebookActions.runCells(panel.content, [cell], panel.sessionContext),
      tell: (said, show) => {
        // No toast: it would lie over the questions. The list of notifications keeps it.
        Notification.info(said, { autoClose: 0, actions: [{ label: 'Show', callback: show }] });
      },
      mark: ({ node }, agent) => mark(node, agent),
      showAsks
    });
    const comms = new NotebookComms(tracker, cells);
    comms.follow();
    commands.commandExecuted.connect((_, { id }) => {
      if (INTERRUPTS.includes(id)) {
        comms.interrupted(tracker.currentWidget);
      }
    });
  }
};

const wheel: JupyterFrontEndPlugin<void> = {
  id: 'vcad-workbench:wheel',
  description: 'Lets the wheel scroll the notebook over a view that has not been clicked.',
  autoStart: true,
  activate: () => shareWheel(document)
};

const links: JupyterFrontEndPlugin<void> = {
  id: 'vcad-workbench:cell-links',
  description: 'Follows links to cells in outputs, as in the picture of the graph.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, tracker: INotebookTracker) => followCellLinks(document, tracker)
};

const outputs: JupyterFrontEndPlugin<void> = {
  id: 'vcad-workbench:outputs',
  description: 'Shows the saved picture of a part where there is no kernel to turn it.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, tracker: INotebookTracker) => {
    const follow = ({ content, sessionContext }: NotebookPanel): void => {
      showViews(content.rendermime, sessionContext);
    };
    tracker.forEach(follow);
    tracker.widgetAdded.connect((_, panel) => follow(panel));
    NotebookActions.executed.connect((_, { cell }) => removeEmptyOutputs(cell.model));
  }
};

/** Show an agent's name at a cell for a while. */
function mark(cell: HTMLElement, agent: string): void {
  cell.querySelector('.vcad-agent')?.remove();
  const name = document.createElement('span');
  name.className = 'vcad-agent';
  name.textContent = agent;
  name.addEventListener('animationend', () => name.remove());
  cell.append(name);
}

/** The model of a cell is an editor's model with more to it. */
function isCellModel(model: CodeEditor.IModel): model is ICellModel {
  return 'type' in model;
}

/** Checks the text of one cell with the kernel of its notebook. */
function checker(cell: ISharedCell, answers: ILanguageService): Checker {
  return {
    check: async text => {
      const answer = await answers.askAbout(cell, 'check', text);
      return answer !== null && 'result' in answer ? findings(answer.result, text.length) : [];
    },
    watch: changed => {
      const listen = (_: ILanguageService, notebook: unknown): void => {
        if (notebook === cell.notebook) {
          changed();
        }
      };
      answers.changed.connect(listen);
      return () => answers.changed.disconnect(listen);
    }
  };
}

export default [language, service, cells, format, notebooks, outputs, wheel, links];
