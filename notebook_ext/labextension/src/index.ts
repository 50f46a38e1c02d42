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
import { PageConfig, PathExt } from '@jupyterlab/coreutils';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import { type FileEditor, IEditorTracker } from '@jupyterlab/fileeditor';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';

import { showAsks } from './notebook/asks.js';
import { followCellLinks } from './notebook/cellLinks.js';
import { whileLoon } from './language/cells.js';
import { GraphPictures, showStates } from './notebook/cellStates.js';
import { type Checker, diagnostics } from './language/diagnostics.js';
import { addFormatCommand, FORMAT_COMMAND, MIME_TYPE } from './language/format.js';
import { lightPicked, PickedForms, tellCursor } from './views/forms.js';
import { LOON_ICON_URL, loonIcon } from './icon.js';
import { loon, loonCell } from './language/language.js';
import { NotebookCells, select } from './notebook/notebookCells.js';
import { NotebookComms } from './notebook/notebookComms.js';
import type { Form } from './notebook/notebookProtocol.js';
import { findings } from './language/protocol.js';
import { removeEmptyOutputs } from './notebook/outputs.js';
import { KnownParts, PartsPanel } from './panels/partsPanel.js';
import { ReferencePanel } from './panels/referencePanel.js';
import { ILanguageService, NotebookLanguageService } from './language/service.js';
import { showViews } from './views/views.js';
import { followCorners, followWidths, type Resize } from './views/viewSize.js';
import { shareWheel } from './views/wheel.js';
import { COMMANDS, Workbench } from './panels/workbench.js';

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
  description: 'Highlights %%loon cells, and underlines what a check finds in them and in open .oo files.',
  autoStart: true,
  requires: [IEditorExtensionRegistry, ILanguageService],
  optional: [IEditorTracker],
  activate: (
    { serviceManager }: JupyterFrontEnd,
    extensions: IEditorExtensionRegistry,
    answers: ILanguageService,
    editors: IEditorTracker | null
  ) => {
    const files: Files = model => {
      const path = editors?.find(({ content }) => content.model.sharedModel === model.sharedModel)?.context.path;
      return path === undefined ? null : PathExt.join(PageConfig.getOption('serverRoot'), serviceManager.contents.localPath(path));
    };
    extensions.addExtension({
      name: 'vcad-workbench:loon-cell',
      factory: ({ model }) => {
        if (!isCellModel(model)) {
          return EditorExtensionRegistry.createImmutableExtension(diagnostics(fileChecker(model, files, answers)));
        }
        if (model.type !== 'code') {
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
  description: 'Lets the session of a notebook and its page ask each other: cells, questions, parts, the reference.',
  autoStart: true,
  requires: [INotebookTracker, IEditorExtensionRegistry],
  optional: [ICommandPalette, ILauncher],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    extensions: IEditorExtensionRegistry,
    palette: ICommandPalette | null,
    launcher: ILauncher | null
  ) => {
    const { commands, serviceManager } = app;
    const parts = new KnownParts();
    const forms = new PickedForms();
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
      showAsks,
      showStates,
      showGraph: new GraphPictures().show,
      showParts: ({ id }, rows) => parts.set(id, rows),
      lightForms: ({ id }, picked) => forms.set(id, picked),
      dockView: (panel, model) => workbench.dockView(panel, model),
      insertText: (panel, text) => workbench.insert(text, panel),
      openFile: (panel, form) => openFile(app, panel, form)
    });
    const comms = new NotebookComms(tracker, cells);
    comms.follow();
    const resize: Resize = (...size) => comms.resizeView(...size);
    followCorners(document, resize);
    followWidths(document, resize);
    extensions.addExtension({
      name: 'vcad-workbench:forms',
      factory: ({ model }) => {
        if (!isCellModel(model) || model.type !== 'code') {
          return null;
        }
        const cell = model.sharedModel;
        const tell = (text: string, offset: number): void => comms.cursorAt(cell, text, offset);
        return EditorExtensionRegistry.createImmutableExtension([lightPicked(cell.getId(), forms), tellCursor(tell)]);
      }
    });
    commands.commandExecuted.connect((_, { id }) => {
      if (INTERRUPTS.includes(id)) {
        comms.interrupted(tracker.currentWidget);
      }
    });
    const workbench = addWorkbench(app, tracker, comms, parts);
    const { newNotebook, ...others } = COMMANDS;
    for (const command of [...Object.values(others), newNotebook]) {
      palette?.addItem({ command, category: 'Loon' });
    }
    launcher?.add({ command: newNotebook, category: 'Notebook', rank: 1, kernelIconUrl: LOON_ICON_URL });
  }
};

/** The commands and the side panels. */
function addWorkbench(
  { commands, serviceManager, shell }: JupyterFrontEnd,
  notebooks: INotebookTracker,
  comms: NotebookComms,
  known: KnownParts
): Workbench {
  const workbench = new Workbench({
    commands,
    notebooks,
    comms,
    dock: (widget, beside) => {
      const isNew = [...shell.widgets('main')].every(({ id }) => id !== widget.id);
      if (isNew) {
        shell.add(widget, 'main', { ref: beside.id, mode: 'split-right' });
      }
      shell.activateById(widget.id);
      return isNew;
    },
    kernelName: () => serviceManager.kernelspecs.specs?.default,
    reveal: panel => shell.activateById(panel === 'parts' ? parts.id : reference.id)
  });
  const kernel = (): string | null => notebooks.currentWidget && (notebooks.currentWidget.sessionContext.session?.kernel?.id ?? '');
  const parts = new PartsPanel(known, kernel, {
    openLiveView: () => void commands.execute(COMMANDS.liveView),
    exportPart: part => void commands.execute(COMMANDS.export, { part }),
    showPart: (part, seen) => void workbench.showPart(part, seen)
  });
  const reference = new ReferencePanel({
    entries: () => workbench.entries(),
    ask: (method, fields) => workbench.ask(method, fields),
    insert: text => workbench.insert(text)
  });
  notebooks.currentChanged.connect(() => {
    parts.refresh();
    reference.refresh();
  });
  known.changed.connect(() => reference.retry());
  workbench.addCommands();
  shell.add(parts, 'left', { rank: 600 });
  shell.add(reference, 'left', { rank: 601 });
  return workbench;
}

/** Open a file where its name means one: from the server's root, or beside the notebook. */
async function openFile({ commands, serviceManager }: JupyterFrontEnd, panel: NotebookPanel, form: Form): Promise<boolean> {
  const beside = PathExt.join(PathExt.dirname(panel.context.path), form.file);
  for (const path of new Set([beside, form.file])) {
    try {
      await serviceManager.contents.get(path, { content: false });
    } catch {
      continue;
    }
    const file = (await commands.execute('docmanager:open', { path })) as IDocumentWidget<FileEditor>;
    await file.context.ready;
    select(file.content.editor, form);
    return true;
  }
  return false;
}

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

/** The file that an editor's text is of, by its path on the server's machine; null for any other text. */
type Files = (model: CodeEditor.IModel) => string | null;

/** Checks a file of Loon that is open in an editor, with any kernel that knows Loon. */
function fileChecker(model: CodeEditor.IModel, files: Files, answers: ILanguageService): Checker {
  const isLoon = (): boolean => model.mimeType === MIME_TYPE;
  return {
    check: async text => {
      const file = isLoon() ? files(model) : null;
      const answer = file === null ? null : await answers.askAny('check', text, { file });
      return answer !== null && 'result' in answer ? findings(answer.result, text.length) : [];
    },
    watch: changed => {
      const listen = (): void => {
        if (isLoon()) {
          changed();
        }
      };
      answers.changed.connect(listen);
      model.mimeTypeChanged.connect(listen);
      return () => {
        answers.changed.disconnect(listen);
        model.mimeTypeChanged.disconnect(listen);
      };
    }
  };
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
