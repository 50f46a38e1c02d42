/**
 * What an output of a view holds, by MIME type.
 */

/**
 * Our own: `{line}`, what to say below the picture while there is no widget to turn. In the metadata `{said}`, what
 * the picture shows, where the view has changed since its cell ran.
 */
export const VIEW = 'application/vnd.vcad.view+json';

/** Jupyter's: `{model_id}`, the widget that is shown. */
export const WIDGET = 'application/vnd.jupyter.widget-view+json';
