/**
 * Questions of agents that wait for the person, docked at the foot of their notebook.
 *
 * An output that comes when no cell runs has no place in a notebook, and one that was not saved is gone once
 * the page is loaded anew. The dock needs neither: it shows whatever waits and is not on screen in the notebook
 * itself, so that each question stands once, and lies over the notebook, so that nothing moves under the
 * pointer. Each question is a widget of the kernel; what its buttons do is the
 * kernel's business.
 */

import type { NotebookPanel } from '@jupyterlab/notebook';
import { Panel, Widget } from '@lumino/widgets';

const WIDGET_VIEW = 'application/vnd.jupyter.widget-view+json';

/** A question that waits, and the widget that shows it. */
export interface ShownAsk {
  readonly request_id: string;
  readonly model_id: string;
}

const docks = new WeakMap<NotebookPanel, Dock>();

/** Have exactly these questions docked at a notebook; none takes the dock away. */
export function showAsks(panel: NotebookPanel, asks: readonly ShownAsk[]): void {
  let dock = docks.get(panel);
  if (dock === undefined || dock.isDisposed) {
    if (asks.length === 0 || !panel.isAttached) {
      return;
    }
    dock = new Dock(panel);
    docks.set(panel, dock);
  }
  dock.show(asks);
}

/** How often it is looked whether a question stands on screen in the notebook itself. */
const LOOK_MS = 400;

/** CSS pixels of a question on screen by which a person can answer it: what is asked, and the buttons. */
const ENOUGH = 240;

/** What lies over one notebook while questions wait. */
class Dock {
  constructor(private readonly panel: NotebookPanel) {
    this.button.type = 'button';
    this.button.className = 'vcad-asks-title';
    this.button.addEventListener('click', () => this.fold(!this.list.isHidden));
    this.list.addClass('vcad-asks-list');
    this.box.addClass('vcad-asks');
    this.box.node.setAttribute('role', 'region');
    this.box.node.setAttribute('aria-label', 'Questions of agents');
    this.box.addWidget(new Widget({ node: this.button }));
    this.box.addWidget(this.list);
    Widget.attach(this.box, panel.node);
    const timer = setInterval(() => this.makeWay(), LOOK_MS);
    this.box.disposed.connect(() => clearInterval(timer));
    panel.disposed.connect(() => this.box.dispose());
  }

  get isDisposed(): boolean {
    return this.box.isDisposed;
  }

  show(asks: readonly ShownAsk[]): void {
    for (const [id, view] of [...this.views]) {
      if (!asks.some(ask => ask.request_id === id)) {
        this.views.delete(id);
        view.dispose();
      }
    }
    for (const ask of asks) {
      if (!this.views.has(ask.request_id)) {
        const view = this.view(ask);
        view.hide(); // until it has been looked whether it stands in the notebook, where it comes a little later
        this.views.set(ask.request_id, view);
        this.list.addWidget(view);
        this.fold(false);
      }
    }
    if (asks.length === 0) {
      this.box.dispose();
      return;
    }
    const badge = document.createElement('span');
    badge.className = 'vcad-asks-count';
    badge.textContent = String(asks.length);
    this.button.replaceChildren(badge, ' waiting for your answer');
    this.box.setHidden([...this.views.values()].every(view => view.isHidden));
  }

  /** Hide what can be answered in the notebook itself, unless the person is at it here. */
  private makeWay(): void {
    const isUsed = this.box.node.contains(document.activeElement);
    for (const [id, view] of this.views) {
      if (!isUsed || view.isHidden) {
        view.setHidden(this.standsInNotebook(id));
      }
    }
    this.box.setHidden([...this.views.values()].every(view => view.isHidden));
  }

  private standsInNotebook(id: string): boolean {
    const page = this.panel.content.node.getBoundingClientRect();
    const shown = this.panel.content.node.querySelectorAll(`.vcad-ask-id-${CSS.escape(id)}`);
    return [...shown].some(element => {
      const { top, bottom, height } = element.getBoundingClientRect();
      const shown = Math.min(bottom, page.bottom) - Math.max(top, page.top);
      return height > 0 && shown >= Math.min(height, ENOUGH);
    });
  }

  /** Fold the questions up, to see the notebook below them; their number stays. */
  private fold(up: boolean): void {
    this.list.setHidden(up);
    this.button.setAttribute('aria-expanded', String(!up));
  }

  private view(ask: ShownAsk): Widget {
    const { rendermime } = this.panel.content;
    if (rendermime.getFactory(WIDGET_VIEW) === undefined) {
      const view = new Widget();
      view.node.textContent = 'An agent asks, and this page shows no widgets: run `vcad approve`.';
      return view;
    }
    const data = { [WIDGET_VIEW]: { version_major: 2, version_minor: 0, model_id: ask.model_id } };
    const view = rendermime.createRenderer(WIDGET_VIEW);
    void view.renderModel(rendermime.createModel({ data, trusted: true }));
    return view;
  }

  private readonly box = new Panel();
  private readonly button = document.createElement('button');
  private readonly list = new Panel();
  private readonly views = new Map<string, Widget>();
}
