/** What a visitor's browser can receive from this site. */
export type HatoState =
  /** No web push: the browser has none, blocks the site's data, or the page is not served over https. */
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
  /**
   * The site's service worker, which imports Hato's. Default: `/hato-sw.js`. A file of that name is
   * taken for Hato's alone; any other for the site's own, where another push service is respected.
   */
  serviceWorker?: string;
  /**
   * The worker's scope. Default: the folder of `serviceWorker`, or the folder `hato-push/` in it
   * when the site has another worker there. When it changes, subscribers move on their next visit.
   */
  scope?: string;
}

/**
 * Every error has a `code`: the server's (`INVALID_API_KEY`, `RATE_LIMITED`, …), or one of
 * `MISSING_FIELDS` (init without baseUrl or appKey), `NOT_INITIALIZED`, `UNSUPPORTED`,
 * `NEEDS_INSTALL`, `STORAGE_BLOCKED` (the browser lets the site keep nothing), `CLICK_REQUIRED`
 * (subscribe would ask the visitor, but nobody has just clicked), `PERMISSION_DENIED` (refused, or
 * the question was closed), `WORKER_FAILED` (the service worker could not be installed),
 * `PUSH_UNREACHABLE` (the browser gave up asking its push service, or did not answer within 15
 * seconds: the network may block push, or this is a private window),
 * `NETWORK_ERROR` (also when no answer comes within 10 seconds), `SERVER_ERROR` (an answer that is
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
  /**
   * Asks for permission and subscribes. Must be called in the handler of a click. When it is
   * rejected, a visitor who was not subscribed before is not subscribed now.
   */
  subscribe(): Promise<void>;
  /**
   * Ends the subscription, in the browser and on the server. When it is rejected because the server
   * could not be told, the browser's part has ended all the same.
   */
  unsubscribe(): Promise<void>;
  state(): Promise<HatoState>;
  /**
   * Calls `listener` when the state is known, and each time it changes, in another tab too.
   * @returns a function that ends this.
   */
  onChange(listener: (state: HatoState) => void): () => void;
}

export declare const hato: Hato;

declare global {
  /** Set by the classic script, `hato.js`. */
  var hato: Hato;
}
