/**
 * Views of parts in a notebook: the widget while its kernel has it, and else the picture that was saved.
 *
 * The renderer of our own MIME type, which stands beside the widget's in each output of a view and comes
 * before it. JupyterLab's own renderer of widgets would say "model not found" in a notebook that is opened
 * again, and leave dead buttons behind a kernel that has ended.
 */

import type { ISessionContext } from '@jupyterlab/apputils';
import type { IRenderMime, IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Kernel } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';
import { Panel, Widget } from '@lumino/widgets';

import { VIEW, WIDGET } from './mime.js';
import { offerMenu } from './viewMenu.js';

/** Before ipywidgets' -10, and safe: so it is chosen in a notebook that is not trusted, too. */
const RANK = -20;

/** What ends every widget of a kernel. */
const ENDS: readonly Kernel.Status[] = ['restarting', 'autorestarting', 'terminating', 'dead'];

/** How long a widget that is on its way is waited for at first, and from where on no more: twice as long each time. */
const PATIENCE_MS = 100;
const NO_PATIENCE_MS = 60_000;

/** Have a notebook show views by this renderer. */
export function showViews(rendermime: IRenderMimeRegistry, session: ISessionContext): void {
  const models = new KernelModels(session);
  rendermime.addFactory(
    {
      safe: true,
      mimeTypes: [VIEW],
      createRenderer: () => new ViewRenderer(models, () => rendermime.createRenderer(WIDGET))
    },
    RANK
  );
}

/** Which widgets the kernel of a notebook has. */
export class KernelModels {
  constructor(private readonly session: ISessionContext) {
    session.kernelChanged.connect((_, { newValue }) => {
      this.end();
      if (newValue !== null) {
        this.found.emit();
      }
    });
    session.statusChanged.connect((_, status) => {
      if (ENDS.includes(status)) {
        this.end();
      }
    });
    session.connectionStatusChanged.connect((_, status) => {
      if (status === 'connected') {
        this.found.emit();
      }
    });
  }

  /** There is a kernel to ask, a new one or the same again. */
  get connected(): ISignal<this, void> {
    return this.found;
  }

  /** The widgets that there were are gone. */
  get ended(): ISignal<this, void> {
    return this.lost;
  }

  /** Whether the kernel has the widget; waits for a kernel that is busy, where only it can tell. */
  async has(model: string): Promise<boolean> {
    const kernel = this.session.session?.kernel;
    if (!kernel) {
      return false;
    }
    if (kernel.hasComm(model)) {
      return true;
    }
    this.known ??= kernel.requestCommInfo({ target_name: 'jupyter.widget' }).then(
      ({ content }) => (content.status === 'ok' ? content.comms : {}),
      () => ({})
    );
    return model in (await this.known);
  }

  private end(): void {
    this.known = null;
    this.lost.emit();
  }

  /** The widgets of the kernel before this page was loaded; asked for once, when one is not known here. */
  private known: Promise<object> | null = null;
  private readonly found = new Signal<this, void>(this);
  private readonly lost = new Signal<this, void>(this);
}

/** One output: the picture, or in its place the widget. */
class ViewRenderer extends Panel implements IRenderMime.IRenderer {
  constructor(
    private readonly models: KernelModels,
    private readonly widgetRenderer: () => IRenderMime.IRenderer
  ) {
    super();
    this.addClass('vcad-output');
    this.addWidget(this.picture);
    offerMenu(this.node);
    models.connected.connect(this.look, this);
    models.ended.connect(this.showPicture, this);
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.picture.put(model);
    const reference = model.data[WIDGET] as { model_id?: string } | undefined;
    const id = model.trusted ? (reference?.model_id ?? '') : '';
    if (id !== this.model) {
      this.model = id;
      this.showPicture();
    }
    void this.look();
  }

  override dispose(): void {
    this.search += 1;
    this.widget = null;
    this.picture.dispose();
    super.dispose();
  }

  /** Put the widget in the place of the picture, as soon as it is there. */
  private async look(): Promise<void> {
    if (this.widget !== null) {
      return;
    }
    this.search += 1;
    const { search, model } = this;
    const there = model !== '' && (await this.models.has(model));
    if (search !== this.search) {
      return;
    }
    this.picture.sayLine(!there);
    for (let patience = PATIENCE_MS; there && patience < NO_PATIENCE_MS; patience *= 2) {
      // Made anew each time: one made before the widgets of a page loaded anew have come waits for ever.
      const renderer = this.widgetRenderer();
      await Promise.race([renderer.renderModel(widgetModel(model)), wait(patience)]);
      const [widget] = renderer.children();
      if (search === this.search && widget !== undefined) {
        this.showWidget(renderer, widget);
        return;
      }
      renderer.dispose();
      await wait(patience);
      if (search !== this.search) {
        return;
      }
    }
    this.picture.sayLine(true);
  }

  private showWidget(renderer: Widget, widget: Widget): void {
    this.widget = renderer;
    this.picture.parent = null;
    this.addWidget(renderer);
    // The kernel may close it: when the cell shows fewer views, or for one of long ago.
    widget.disposed.connect(() => {
      if (this.widget === renderer) {
        this.showPicture();
      }
    });
  }

  /** Put the picture in the place of the widget, or of the search for one. */
  private showPicture(): void {
    const { widget } = this;
    this.search += 1;
    this.widget = null;
    this.picture.sayLine(true);
    this.addWidget(this.picture);
    widget?.dispose();
  }

  /** The id of the widget, empty for none. */
  private model = '';
  /** What shows the widget, while it does. */
  private widget: Widget | null = null;
  /** Counts the searches, so that an older one ends. */
  private search = 0;
  private readonly picture = new Picture();
}

/** What was saved: the picture, its figures, and a line that says what to do. */
class Picture extends Widget {
  constructor() {
    super({ node: document.createElement('figure') });
    this.addClass('vcad-saved');
    const words = document.createElement('figcaption');
    words.append(this.words, this.line);
    this.line.className = 'vcad-saved-line';
    this.node.append(this.image, words);
  }

  put({ data, metadata }: IRenderMime.IMimeModel): void {
    const newer = metadata[VIEW] as { said?: unknown } | undefined;
    const words = String(newer?.said ?? data['text/plain'] ?? '');
    const image = data['image/png'];
    this.words.textContent = words;
    this.image.alt = words;
    this.image.hidden = typeof image !== 'string';
    if (typeof image === 'string') {
      this.image.src = `data:image/png;base64,${image.replace(/\s/g, '')}`;
    }
    const view = data[VIEW] as { line?: unknown };
    this.line.textContent = typeof view.line === 'string' ? view.line : '';
  }

  /** Whether the line is to be read: not while a widget may come. */
  sayLine(said: boolean): void {
    this.line.hidden = !said;
  }

  private readonly image = document.createElement('img');
  private readonly words = document.createElement('span');
  private readonly line = document.createElement('span');
}

/** The output of a widget as its renderer takes it, which writes into what it is given. */
function widgetModel(id: string): IRenderMime.IMimeModel {
  const data = { [WIDGET]: { version_major: 2, version_minor: 0, model_id: id } };
  return { data, metadata: {}, trusted: true, setData: () => {} };
}

function wait(milliseconds: number): Promise<void> {
  return new Promise(done => setTimeout(done, milliseconds));
}
