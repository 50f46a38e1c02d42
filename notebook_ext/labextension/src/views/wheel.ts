/**
 * The wheel scrolls the notebook until a view has been clicked; then it is the view's, until Escape or a
 * click elsewhere. With Ctrl or Cmd it is the view's at once.
 *
 * Listens in the capture phase, before the controls of the picture, which would take every turn.
 */

const VIEW = '.vcad-view';

/** Give wheel and keys to the view that was clicked last, and to no other. */
export function shareWheel(page: Document): void {
  let held: Element | null = null;

  const hold = (view: Element | null): void => {
    held?.classList.remove('vcad-mod-held');
    view?.classList.add('vcad-mod-held');
    held = view;
  };

  page.addEventListener('pointerdown', ({ target }) => hold(viewAround(target)), { capture: true });
  page.addEventListener(
    'keydown',
    ({ key }) => {
      if (key === 'Escape') {
        hold(null);
      }
    },
    { capture: true }
  );
  page.addEventListener(
    'wheel',
    event => {
      const view = viewAround(event.target);
      if (view !== null && view !== held && !event.ctrlKey && !event.metaKey) {
        event.stopPropagation();
      }
    },
    { capture: true, passive: true }
  );
}

function viewAround(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest(VIEW) : null;
}
