/**
 * A view under a cell is as large as a person makes it: by its lower right corner, or on the whole screen, where a
 * double-click on that corner takes it and Escape or another brings it back. In a narrow notebook its session is
 * given its width, so that all of the model fits into what is seen.
 *
 * Knows the page; what draws the picture is given the height it is to have, and answers by making it so.
 */

const VIEW = '.vcad-view';
const GRIP = '.vcad-grip';
const CAPTION = '.vcad-caption';
/** Between two heights that are sent while a corner is dragged. */
const PAUSE_MS = 80;
const LOWEST = 120;
/** Width by height of a picture into which every view fits, as `FIT_ASPECT` in widget.py has it. */
const ROOMY = 1.6;
/** The animation by which a style sheet tells that there is a corner. */
const THERE = 'vcad-there';

/** number: of the view, among those of its kernel. height, width: of its picture, in CSS pixels; null as it is. */
export type Resize = (view: Element, number: number, height: number | null, width?: number) => void;

/** Follow the corners of all views on a page. */
export function followCorners(page: Document, resize: Resize): void {
  page.documentElement.classList.add('vcad-mod-sizable');
  page.addEventListener('pointerdown', event => {
    const grip = gripAt(event.target);
    const view = grip?.closest<HTMLElement>(VIEW);
    if (!grip || !view || event.button !== 0 || page.fullscreenElement) {
      return;
    }
    event.preventDefault();
    drag(event, grip, view, height => resize(view, Number(grip.dataset['view']), height));
  });

  // the view itself may be drawn anew while it has the whole screen; the notebook stays
  let before: { view: HTMLElement; place: Element; number: number; height: number } | null = null;
  page.addEventListener('dblclick', ({ target }) => {
    const view = gripAt(target)?.closest<HTMLElement>(VIEW);
    if (view && page.fullscreenElement) {
      void page.exitFullscreen();
    } else if (view) {
      const number = Number(view.querySelector<HTMLElement>(GRIP)?.dataset['view']);
      before = { view, place: view.closest('.jp-NotebookPanel') ?? view, number, height: pictureHeight(view) };
      view.requestFullscreen().catch(() => (before = null));
    }
  });
  page.addEventListener('fullscreenchange', () => {
    if (before !== null && page.fullscreenElement === before.view) {
      resize(before.place, before.number, pictureHeight(before.view));
    } else if (before !== null) {
      resize(before.place, before.number, before.height);
      before = null;
    }
  });
}

/** Tell of each view that has not the width that it is fitted into, and of one that has it again. */
export function followWidths(page: Document, resize: Resize): void {
  const sent = new WeakMap<Element, number>();
  const timers = new WeakMap<Element, ReturnType<typeof setTimeout>>();
  const tell = (view: HTMLElement): void => {
    const number = Number(view.querySelector<HTMLElement>(GRIP)?.dataset['view']);
    const roomy = Math.round(ROOMY * pictureHeight(view));
    const width = Math.min(view.offsetWidth, roomy);
    if (width > 0 && number && width !== (sent.get(view) ?? roomy) && !page.fullscreenElement) {
      sent.set(view, width);
      // Not how high it is: that may be a height which it is about to leave, as that of the whole screen.
      resize(view, number, null, width);
    }
  };
  const widths = new ResizeObserver(entries => {
    for (const { target } of entries) {
      clearTimeout(timers.get(target));
      timers.set(target, setTimeout(() => tell(target as HTMLElement), PAUSE_MS));
    }
  });
  page.addEventListener('animationstart', ({ animationName, target }) => {
    const view = animationName === THERE ? gripAt(target)?.closest<HTMLElement>(VIEW) : null;
    if (view) {
      widths.observe(view);
    }
  });
}

function drag(from: PointerEvent, grip: HTMLElement, view: HTMLElement, tell: (height: number) => void): void {
  const { width, height } = view.getBoundingClientRect();
  const caption = height - pictureHeight(view);
  let high = height;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tellHeight = (): void => {
    timer = undefined;
    tell(Math.round(high - caption));
  };
  const move = (event: PointerEvent): void => {
    view.style.width = `${Math.max(width + event.clientX - from.clientX, 0)}px`;
    view.style.maxWidth = '100%';
    high = Math.max(height + event.clientY - from.clientY, LOWEST + caption);
    view.style.height = `${high}px`;
    timer ??= setTimeout(tellHeight, PAUSE_MS);
  };
  const end = (): void => {
    grip.removeEventListener('pointermove', move);
    clearTimeout(timer);
    if (high !== height) {
      tellHeight();
    }
  };
  grip.setPointerCapture(from.pointerId);
  grip.addEventListener('pointermove', move);
  grip.addEventListener('lostpointercapture', end, { once: true });
}

function pictureHeight(view: HTMLElement): number {
  return Math.round(view.offsetHeight - (view.querySelector<HTMLElement>(CAPTION)?.offsetHeight ?? 0));
}

function gripAt(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(GRIP) : null;
}
