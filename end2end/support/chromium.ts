// A real Chromium, and the worker half of a push by its DevTools: without the internet it cannot subscribe.

import puppeteer, { type Browser, type CDPSession, type EvaluateFunc, type Page, type Target } from 'puppeteer-core';

import type { CustomerSite } from './customer-site.ts';
import type { Desktop } from './desktop.ts';

/** @param desktop The desktop that shows notifications; without one nothing shows them. */
export function startChromium(desktop?: Desktop): Promise<Browser> {
  return puppeteer.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: desktop?.address ?? 'disabled:' },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--lang=ja',
    ],
  });
}

/** The address of the page that the click opens, which is closed again. */
export async function pageOpenedBy(browser: Browser, click: () => void): Promise<string> {
  const isPage = (target: Target) => target.type() === 'page';
  const opened = new Promise<Target>((resolve) => {
    const take = (target: Target) => {
      if (!isPage(target)) return;
      browser.off('targetcreated', take);
      resolve(target);
    };
    browser.on('targetcreated', take);
  });
  click();
  const page = (await (await opened).page())!;
  await page.waitForFunction(() => location.href !== 'about:blank' && document.readyState === 'complete');
  const address = page.url();
  await page.close();
  return address;
}

/** The worker of a customer's site. */
export class SiteWorker {
  private running = new Map<string, string>();

  private constructor(
    readonly page: Page,
    private readonly devtools: CDPSession,
    private readonly origin: string,
    private registrationId = '',
  ) {}

  /** Opens the site and registers its worker, as the page script does. */
  static async install(browser: Browser, site: CustomerSite, script = '/hato-sw.js', scope = '/'): Promise<SiteWorker> {
    await browser.defaultBrowserContext().overridePermissions(site.url, ['notifications']);
    const page = await browser.newPage();
    await page.goto(site.url);
    const worker = new SiteWorker(page, await page.createCDPSession(), site.url);
    await worker.register(script, scope);
    return worker;
  }

  private async register(script: string, scope: string): Promise<void> {
    const { devtools, page, running, origin } = this;
    const activated = new Promise<void>((resolve) => {
      devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
        for (const { scriptURL, status, runningStatus, registrationId } of versions) {
          if (scriptURL !== origin + script) continue;
          running.set(registrationId, runningStatus);
          if (status !== 'activated') continue;
          this.registrationId = registrationId;
          resolve();
        }
        devtools.emit('updated', undefined);
      });
    });
    await devtools.send('ServiceWorker.enable');
    const register = (script: string, scope: string) => navigator.serviceWorker.register(script, { scope }).then(() => {});
    await page.evaluate(register, script, scope);
    await activated;
  }

  /** The browser stops the worker, as it does after half a minute of rest. */
  async stop(): Promise<void> {
    await this.devtools.send('ServiceWorker.stopAllWorkers');
    while (this.running.get(this.registrationId) !== 'stopped') {
      await new Promise((resolve) => this.devtools.once('updated', resolve));
    }
  }

  /** Delivers a push with these data to the worker, as the browser does when one arrives. */
  async push(data: string): Promise<void> {
    const { origin, registrationId } = this;
    await this.devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  }

  /** Runs a function in the running worker; resolves with what it returns. */
  async run<A extends unknown[], F extends EvaluateFunc<A>>(act: F, ...args: A): Promise<Awaited<ReturnType<F>>> {
    const isOwn = (target: Target) => target.type() === 'service_worker' && target.url().startsWith(this.origin);
    const target = await this.page.browser().waitForTarget(isOwn);
    return (await target.worker())!.evaluate<A, F>(act, ...args);
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}
