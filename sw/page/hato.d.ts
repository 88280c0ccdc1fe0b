/** What a visitor's browser can receive from this site. */
export type HatoState =
  /** The browser has no web push, or the page is not served over https. */
  | "unsupported"
  /** iOS and iPadOS: the visitor must first add the site to the home screen. */
  | "needs-install"
  /** The visitor has refused notifications; only the browser's settings can change that. */
  | "denied"
  | "unsubscribed"
  | "subscribed";

export interface HatoOptions {
  /** The address of the Hato server, for example `https://push.example.com`. */
  baseUrl: string;
  /** An API key with the scope `subscribe_only`. */
  appKey: string;
  /** The site's service worker, which imports Hato's. Default: `/hato-sw.js`. */
  serviceWorker?: string;
  /**
   * The worker's scope. Default: the folder of `serviceWorker`, or the folder `hato-push/` in it
   * when the site has another worker there.
   */
  scope?: string;
}

/**
 * Every error has a `code`: the server's (`INVALID_API_KEY`, `RATE_LIMITED`, …), or one of
 * `MISSING_FIELDS` (init without baseUrl or appKey), `NOT_INITIALIZED`, `UNSUPPORTED`,
 * `NEEDS_INSTALL`, `PERMISSION_DENIED` (refused, or the question was closed), `WORKER_FAILED`
 * (the service worker could not be installed), `NETWORK_ERROR`, `SERVER_ERROR` (an answer that is
 * not Hato's) and `BROWSER_ERROR` (`cause` has the browser's own error).
 */
export interface HatoError extends Error {
  code: string;
}

export interface Hato {
  /**
   * Connects the page to an app; call it on every page, before the others. It never asks the visitor
   * anything. A subscription that has changed, was lost, was made with another key, or was not
   * confirmed for a day is registered again, with one request; other page views make none.
   * The promise may be ignored: an error comes back from the call that needs the server.
   */
  init(options: HatoOptions): Promise<void>;
  /** Asks for permission and subscribes. Must be called in the handler of a click. */
  subscribe(): Promise<void>;
  /** Ends the subscription, in the browser and on the server. */
  unsubscribe(): Promise<void>;
  state(): Promise<HatoState>;
  /**
   * Calls `listener` when the state is known, and each time it changes.
   * @returns a function that ends this.
   */
  onChange(listener: (state: HatoState) => void): () => void;
}

export declare const hato: Hato;

declare global {
  /** Set by the classic script, `hato.js`. */
  var hato: Hato;
}
