// What a push shows and where a click leads, in a real Chromium on a desktop of its own.

import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';

import { App } from '../support/app.ts';
import { pageOpenedBy, SiteWorker, startChromium } from '../support/chromium.ts';
import { CustomerSite, samples } from '../support/customer-site.ts';
import { Desktop, type DesktopNotification } from '../support/desktop.ts';
import { Hato } from '../support/hato.ts';
import { importLine, init, siteFiles } from '../support/site-files.ts';
import { expect, test } from '../support/fixtures.ts';

let desktop: Desktop;
let chromium: Browser;

test.beforeAll(async () => {
  desktop = await Desktop.start();
  chromium = await startChromium(desktop);
});

test.afterAll(async () => {
  await chromium?.close();
  await desktop?.stop();
});

/** Everything that is no message of Hato, and yet must show something. */
const garbage = [
  '{ this is not JSON',
  '',
  'null',
  '"title"',
  '[{"title":"t"}]',
  '{}',
  '{"title":1,"body":{"text":"b"}}',
  '{"__proto__":{"title":"t"}}',
  '\u0000\uFFFF',
  'x'.repeat(100_000),
  '['.repeat(50_000),
];

async function pushAndShow(worker: SiteWorker, data: string): Promise<DesktopNotification> {
  const [shown] = await Promise.all([desktop.next(), worker.push(data)]);
  return shown;
}

/** The page that the click opens. */
const openedBy = (click: () => void) => pageOpenedBy(chromium, click);

const pages = async () => (await chromium.pages()).map((page) => page.url());

test('a stopped worker shows the message', async ({ open }) => {
  const site = await open();
  const worker = await SiteWorker.install(chromium, site);
  await worker.stop();
  const shown = await pushAndShow(worker, JSON.stringify({ title: '焼きたて', body: '本文' }));
  expect(shown).toMatchObject({ title: '焼きたて' });
  expect(shown.body).toContain('本文');
  await worker.close();
});

test('it needs no server for that', async ({ push }) => {
  const hato = await Hato.start(push);
  const site = await CustomerSite.start(hato, await App.create(hato));
  const worker = await SiteWorker.install(chromium, site);
  await worker.stop();
  await hato.pause();
  await site.stop();
  expect((await pushAndShow(worker, '{"title":"留守でも"}')).title).toBe('留守でも');
  await worker.close();
  await hato.stop();
});

test('what is no message shows the fallback notification', async ({ open }) => {
  const site = await open();
  const worker = await SiteWorker.install(chromium, site);
  for (const data of garbage) {
    const shown = await pushAndShow(worker, data);
    expect(shown.title, data.slice(0, 40)).toBe(new URL(site.url).host);
    expect(shown.body).toMatch(/新しいお知らせがあります|You have a new notification/);
  }
  await worker.close();
});

test('a push without data shows it too', async ({ open, write }) => {
  const says = 'addEventListener("push", ({ data }) => registration.showNotification(String(data)));';
  const site = await open({ folder: await write({ ...siteFiles(init()), 'hato-sw.js': says + importLine }) });
  const worker = await SiteWorker.install(chromium, site);
  const both = [await pushAndShow(worker, ''), await desktop.next()];
  expect(new Set(both.map(({ title }) => title))).toEqual(new Set(['null', new URL(site.url).host]));
  await worker.close();
});

test('an unusual message is shown', async ({ open }) => {
  const worker = await SiteWorker.install(chromium, await open());
  const long = '長'.repeat(30_000);
  expect((await pushAndShow(worker, JSON.stringify({ title: long, body: long }))).title.length).toBeGreaterThan(0);
  const odd = { title: 't', icon: 'http://[', badge: 7, url: 'javascript:alert(1)', actions: [1], silent: 'x' };
  expect((await pushAndShow(worker, JSON.stringify(odd))).title).toBe('t');
  await worker.close();
});

/** Sites whose workers have no wasm. */
const withoutWasm = [
  ['by its policy', { policy: 'without-wasm' }, ''],
  ['by its browser', {}, 'delete self.WebAssembly;\n'],
] as const;

for (const [why, options, prelude] of withoutWasm) {
  test(`a worker without wasm ${why} shows the message, and a click opens its address`, async ({ open, write }) => {
    const folder = await write({ ...siteFiles(init()), 'hato-sw.js': prelude + importLine });
    const site = await open({ folder, ...options });
    const worker = await SiteWorker.install(chromium, site);
    await worker.page.goto(`${site.url}/index.html`);
    await worker.stop();
    for (const [url, opened] of [
      [`${site.url}/#news`, `${site.url}/#news`],
      ['/#relative', `${site.url}/#relative`],
      ['http://127.0.0.1:9/elsewhere', `${site.url}/`],
      ['javascript:alert(1)', `${site.url}/`],
      ['https://[', `${site.url}/`],
      [undefined, `${site.url}/`],
    ]) {
      const shown = await pushAndShow(worker, JSON.stringify({ title: '見出し', body: '本文', url, icon: 'http://[' }));
      expect(shown.title).toBe('見出し');
      expect(shown.body).toContain('本文');
      expect(await openedBy(() => desktop.click(shown)), url).toBe(opened);
    }
    await worker.close();
  });

  test(`a worker without wasm ${why} shows the fallback notification for what is no message`, async ({ open, write }) => {
    const folder = await write({ ...siteFiles(init()), 'hato-sw.js': prelude + importLine });
    const site = await open({ folder, ...options });
    const worker = await SiteWorker.install(chromium, site);
    for (const data of garbage) {
      const shown = await pushAndShow(worker, data);
      expect(shown.title, data.slice(0, 40)).toBe(new URL(site.url).host);
      expect(shown.body).toMatch(/新しいお知らせがあります|You have a new notification/);
    }
    const untitled = await pushAndShow(worker, '{"title":" ","body":"本文だけ"}');
    expect(untitled.title).toBe(new URL(site.url).host);
    expect(untitled.body).toContain('本文だけ');
    await worker.close();
  });
}

test('a click opens the address, and closes the notification', async ({ open }) => {
  const site = await open();
  const worker = await SiteWorker.install(chromium, site);
  await worker.page.goto(`${site.url}/index.html`);
  const before = await pages();
  for (const [url, opened] of [
    [`${site.url}/#news`, `${site.url}/#news`],
    ['/#relative', `${site.url}/#relative`],
    ['http://127.0.0.1:9/elsewhere', `${site.url}/`],
    ['javascript:alert(1)', `${site.url}/`],
    ['data:text/html,hello', `${site.url}/`],
    [undefined, `${site.url}/`],
  ]) {
    const shown = await pushAndShow(worker, JSON.stringify({ title: 't', url }));
    expect(await openedBy(() => desktop.click(shown)), url).toBe(opened);
    await desktop.waitClosed(shown);
    expect(await pages()).toEqual(before);
  }
  await worker.close();
});

/** Clicks on a notification that leads to `url`, and waits until `page`, which is behind others, is in front. */
async function expectBroughtForward(page: Page, worker: SiteWorker, url: string): Promise<void> {
  const shown = await pushAndShow(worker, JSON.stringify({ title: 't', url }));
  const isVisible = () => page.evaluate(() => document.visibilityState === 'visible');
  expect(await isVisible()).toBe(false);
  const becomesVisible = page.evaluate(
    () =>
      new Promise<void>((resolve) =>
        document.addEventListener('visibilitychange', () => resolve(), { once: true }),
      ),
  );
  desktop.click(shown);
  await becomesVisible;
  expect(await isVisible()).toBe(true);
}

test('a click focuses the window that is there, and navigates none', async ({ open }) => {
  const site = await open();
  const worker = await SiteWorker.install(chromium, site);
  const there = await chromium.newPage();
  await there.goto(`${site.url}/#news`);
  const front = await chromium.newPage();
  await front.goto(`${site.url}/#cart`);
  const before = await pages();
  await expectBroughtForward(there, worker, `${site.url}/#news`);
  expect(await pages()).toEqual(before);
  for (const page of [there, front, worker.page]) await page.close();
});

test('a click knows where an app of one page is', async ({ open, write }) => {
  const site = await open({ folder: await write(siteFiles(init())) });
  const worker = await SiteWorker.install(chromium, site);
  await worker.page.evaluate(() => history.pushState(null, '', '/recipes/5'));
  const front = await chromium.newPage();
  const before = await pages();
  await expectBroughtForward(worker.page, worker, `${site.url}/recipes/5`);
  expect(await pages()).toEqual(before);
  const root = await pushAndShow(worker, JSON.stringify({ title: 't', url: `${site.url}/` }));
  expect(await openedBy(() => desktop.click(root))).toBe(`${site.url}/`);
  expect(await pages()).toEqual(before);
  for (const page of [front, worker.page]) await page.close();
});

test('a click waits for no page that cannot answer', async ({ open, write }) => {
  const folder = await write({ ...siteFiles(init()), 'other.html': '<!doctype html><title>他</title>' });
  const site = await open({ folder });
  const worker = await SiteWorker.install(chromium, site);
  await worker.page.goto(`${site.url}/other.html`);
  const front = await chromium.newPage();
  const before = await pages();
  await expectBroughtForward(worker.page, worker, `${site.url}/other.html`);
  expect(await pages()).toEqual(before);
  for (const page of [front, worker.page]) await page.close();
});

test('a click also focuses a window that the worker does not control', async ({ open }) => {
  const site = await open({ folder: join(samples, 'existing-worker/beside') });
  const worker = await SiteWorker.install(chromium, site, '/hato-sw.js', '/hato-push/');
  const front = await chromium.newPage();
  await front.goto('about:blank');
  const controller = () => navigator.serviceWorker.controller?.scriptURL.split('/').at(-1);
  expect(await worker.page.evaluate(controller)).not.toBe('hato-sw.js');
  const before = await pages();
  await expectBroughtForward(worker.page, worker, `${site.url}/`);
  expect(await pages()).toEqual(before);
  for (const page of [front, worker.page]) await page.close();
});

test('a window that cannot be focused does not lose the address', async ({ open, write }) => {
  const failingFocus = 'WindowClient.prototype.focus = () => Promise.reject(new Error("it has just gone"));\n';
  const site = await open({ folder: await write({ ...siteFiles(init()), 'hato-sw.js': failingFocus + importLine }) });
  const worker = await SiteWorker.install(chromium, site);
  await worker.page.goto(`${site.url}/#news`);
  const shown = await pushAndShow(worker, JSON.stringify({ title: 't', url: `${site.url}/#news` }));
  expect(await openedBy(() => desktop.click(shown))).toBe(`${site.url}/#news`);
  await worker.close();
});

test("a site's own notifications are left to its own handlers", async ({ open }) => {
  const site = await open({ folder: join(samples, 'existing-worker/imported') });
  const worker = await SiteWorker.install(chromium, site, '/sw.js');
  const [own] = await Promise.all([
    desktop.next(),
    worker.page.evaluate(() => navigator.serviceWorker.ready.then((it) => it.active?.postMessage('お茶'))),
  ]);
  expect(await openedBy(() => desktop.click(own))).toBe(`${site.url}/#timer`);
  const shown = await pushAndShow(worker, JSON.stringify({ title: 't', url: '/#recipe' }));
  expect(await openedBy(() => desktop.click(shown))).toBe(`${site.url}/#recipe`);
  expect(await pages()).not.toContain(`${site.url}/#timer`);
  await worker.close();
});

test("Hato's notifications are kept from a site's handlers that are added after it", async ({ open, write }) => {
  const laterHandler = 'addEventListener("notificationclick", () => registration.showNotification("サイトも聞いた"));';
  const site = await open({ folder: await write({ ...siteFiles(init()), 'hato-sw.js': importLine + laterHandler }) });
  const worker = await SiteWorker.install(chromium, site);
  await worker.page.goto(`${site.url}/#elsewhere`);
  const first = await pushAndShow(worker, '{"title":"一つ目"}');
  expect(await openedBy(() => desktop.click(first))).toBe(`${site.url}/`);
  // Whatever the site's handler shows would come before this.
  expect((await pushAndShow(worker, '{"title":"二つ目"}')).title).toBe('二つ目');
  await worker.close();
});
