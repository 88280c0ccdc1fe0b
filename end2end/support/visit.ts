// A visitor on a customer's site, in Firefox.

import { expect } from '@playwright/test';
import type { Browser, Page } from 'puppeteer-core';

import { collectConsoleErrors } from './console-errors.ts';
import type { CustomerSite } from './customer-site.ts';

export interface ShownNotification {
  title: string;
  body: string;
  icon: string;
  data: unknown;
  scope: string;
}

export class Visit {
  /** The page's requests to the API, such as `POST /api/v1/subscriptions`. */
  readonly requests: string[] = [];
  /** The errors and warnings of the page's console. */
  readonly consoleErrors: string[];

  private constructor(readonly page: Page) {
    this.consoleErrors = collectConsoleErrors(page);
  }

  /** Opens the site's page with a clock that is `daysLater` days ahead. */
  static async open(browser: Browser, site: CustomerSite, daysLater = 0): Promise<Visit> {
    const visit = new Visit(await browser.newPage());
    visit.recordRequests(site);
    await visit.page.evaluateOnNewDocument((offset: number) => {
      const now = Date.now;
      Date.now = () => now() + offset;
    }, daysLater * 24 * 60 * 60 * 1000);
    await visit.page.goto(site.url);
    return visit;
  }

  private recordRequests({ server }: CustomerSite): void {
    this.page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === server && pathname.startsWith('/api') && request.method() !== 'OPTIONS') {
        this.requests.push(`${request.method()} ${pathname}`);
      }
    });
  }

  /** Waits until the page shows this state: by then the page script has repaired what it could. */
  async waitForState(state: string): Promise<void> {
    const said = () => document.querySelector('#state')?.textContent || undefined;
    await this.page.waitForFunction(said, { polling: 20 });
    const is = (expected: string) => document.querySelector('#state')?.textContent === expected;
    await this.page.waitForFunction(is, { polling: 20 }, state);
  }

  async click(selector: string): Promise<void> {
    await this.page.locator(selector).click();
  }

  /** Subscribes with the page's button. */
  async subscribe(): Promise<void> {
    await this.waitForState('unsubscribed');
    await this.click('#subscribe');
    await this.waitForState('subscribed');
  }

  /** Calls a function of the page script; resolves with its error's code, which is empty when there is none. */
  attempt(name: 'subscribe' | 'unsubscribe'): Promise<string> {
    return this.page.evaluate((name) => hato[name]().then(() => '', (error) => error.code), name);
  }

  /** Calls one of the functions about users and tags; resolves with the tags that it answers, or with its error's code. */
  say(
    name: 'identify' | 'forget' | 'addTags' | 'removeTags' | 'tags',
    ...args: unknown[]
  ): Promise<string | string[]> {
    const call = (name: string, args: unknown[]): Promise<string | string[]> =>
      (hato as any)[name](...args).then((tags?: string[]) => tags ?? '', ({ code }: { code: string }) => code);
    return this.page.evaluate(call, name, args);
  }

  /** Resolves when an attempt to unsubscribe waits for something that began before it, or has ended the subscription. */
  async waitUntilBlockedOrUnsubscribed(): Promise<void> {
    const look = async () => {
      if ((await navigator.locks.query()).pending!.length > 0) return true;
      const registration = await navigator.serviceWorker.getRegistration();
      return !(await registration?.pushManager.getSubscription());
    };
    await this.page.waitForFunction(look, { polling: 20 });
  }

  /** The endpoints of all subscriptions of the site. */
  endpoints(): Promise<string[]> {
    return this.page.evaluate(async () => {
      const registrations = await navigator.serviceWorker.getRegistrations();
      const found = await Promise.all(registrations.map((it) => it.pushManager.getSubscription()));
      return found.flatMap((subscription) => subscription?.endpoint ?? []);
    });
  }

  /** The endpoint of the only subscription of the site. */
  async endpoint(): Promise<string> {
    const endpoints = await this.endpoints();
    expect(endpoints).toHaveLength(1);
    return endpoints[0]!;
  }

  /** The notification with this title, once a worker of the site shows it. */
  async notification(title: string): Promise<ShownNotification> {
    const find = async (title: string) => {
      for (const registration of await navigator.serviceWorker.getRegistrations()) {
        for (const { title: found, body, icon, data } of await registration.getNotifications()) {
          if (found === title) return { title, body, icon, data, scope: registration.scope };
        }
      }
      return undefined;
    };
    const handle = await this.page.waitForFunction(find, { polling: 20 }, title);
    return handle.jsonValue() as Promise<ShownNotification>;
  }

  /** How a notification that is shown behaves. */
  options(title: string): Promise<{ tag: string; requireInteraction: boolean; dir: string } | undefined> {
    return this.page.evaluate(async (title) => {
      for (const registration of await navigator.serviceWorker.getRegistrations()) {
        for (const { title: found, tag, requireInteraction, dir } of await registration.getNotifications()) {
          if (found === title) return { tag, requireInteraction, dir };
        }
      }
      return undefined;
    }, title);
  }

  async close(): Promise<void> {
    await this.page.close();
  }

  /** Leaves for good: the browser keeps nothing of the site that could act in a later test. */
  async dispose(): Promise<void> {
    if (this.page.isClosed()) return;
    await this.page.evaluate(async () => {
      // Without its memory another tab of the site repairs nothing when this one closes.
      await new Promise((resolve) => {
        const forgetting = indexedDB.deleteDatabase('hato-push');
        forgetting.onsuccess = forgetting.onerror = resolve;
      });
      for (const registration of await navigator.serviceWorker.getRegistrations()) {
        await (await registration.pushManager.getSubscription())?.unsubscribe();
        await registration.unregister();
      }
    });
    await this.close();
  }
}
