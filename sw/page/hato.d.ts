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
   * taken for Hato's alone; any other for the site's own, where another push service is respected
   * unless its subscription was imported.
   */
  serviceWorker?: string;
  /**
   * The worker's scope. Default: the folder of `serviceWorker`, or the folder `hato-push/` in it
   * when the site has another worker there. When it changes, subscribers move on their next visit. A
   * worker that is at the given scope is replaced, and its subscription stays: so Hato takes over from
   * another service.
   */
  scope?: string;
}

/**
 * Every error has a `code`: the server's (`INVALID_API_KEY`, `INVALID_USER_TOKEN`, `RATE_LIMITED`, …), or one of
 * `MISSING_FIELDS` (init without baseUrl or appKey, identify without userId or userToken),
 * `INVALID_INPUT` (tags that are no list of tags), `NOT_INITIALIZED`, `UNSUPPORTED`,
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
   * confirmed for a day is registered again, with one request; other page views make none. The browser's
   * language and time zone go with it, and when they are others.
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
  /**
   * Says who the visitor is; call it on each page that a logged-in visitor sees. It is one request a day
   * for as long as it says the same. Without a subscription it is remembered for the next one: a wrong
   * token is then an error of `subscribe`, once.
   * @param userId 1 to 128 bytes, as the sends name the user.
   * @param userToken made by the site's server, which alone knows the secret.
   */
  identify(userId: string, userToken: string): Promise<void>;
  /**
   * The visitor has logged out: the subscription is nobody's any more, and what was remembered is
   * forgotten. Wait for it before the page is left. When it is rejected because the server could not be
   * told, the next page view tells it.
   */
  forget(): Promise<void>;
  /**
   * Gives the browser's subscription these tags beside those that it has. Without a subscription they
   * are remembered for the next one. When it is rejected, nothing has changed.
   * @param tags at most 50, each 1 to 64 of `A-Z a-z 0-9 _ . : -`. Those that begin with `_` are the owner's.
   * @returns all tags of the subscription.
   */
  addTags(tags: string[]): Promise<string[]>;
  /** Takes tags away, like {@link addTags}. */
  removeTags(tags: string[]): Promise<string[]>;
  /** The tags that the server has of the subscription; without one, those that are remembered. */
  tags(): Promise<string[]>;
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

  interface HTMLElementEventMap {
    /** Of `<hato-preferences>`: a tick is saved; all tags of the subscription. */
    "hato-preferences-saved": CustomEvent<{ tags: string[] }>;
    /** Of `<hato-preferences>`: a tick could not be saved, and is as before. */
    "hato-preferences-failed": CustomEvent<{ code: string }>;
  }
}
