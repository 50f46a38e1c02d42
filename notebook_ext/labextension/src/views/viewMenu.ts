/**
 * The notebook's own context menu over a view, where "Create New View for Cell Output" is.
 *
 * ipywidgets keeps that menu away from widgets, and in a picture the right button pans: so the menu comes when
 * that button goes up where it went down.
 */

/** CSS pixels that a hand moves without meaning to. */
const STILL = 3;

/** Open the menu on a right click anywhere in an element, as if the element itself had been clicked. */
export function offerMenu(element: HTMLElement): void {
  let down: PointerEvent | null = null;
  const open = ({ clientX, clientY }: MouseEvent): void => {
    element.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY }));
  };
  element.addEventListener(
    'pointerdown',
    event => {
      down = event.button === 2 ? event : null;
    },
    true
  );
  element.addEventListener(
    'pointerup',
    event => {
      const start = down;
      if (start !== null && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) <= STILL) {
        open(event);
      }
    },
    true
  );
  element.addEventListener(
    'contextmenu',
    event => {
      // Of the browser: when the right button goes down or up, by its system; or of a key.
      if (event.target !== element && event.isTrusted) {
        event.preventDefault();
        event.stopPropagation();
        if (down === null) {
          open(event);
        }
      }
    },
    true
  );
}
