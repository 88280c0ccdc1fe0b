// Rich notifications in real browsers: what they show, and where their buttons lead.

import type { Browser } from 'puppeteer-core';

import { pageOpenedBy, SiteWorker, startChromium } from '../support/chromium.ts';
import { Desktop, type DesktopNotification } from '../support/desktop.ts';
import { expect, test } from '../support/fixtures.ts';
import { importLine, init, siteFiles } from '../support/site-files.ts';

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

/** Nothing answers there: pictures are shown as far as the browser gets. */
const nowhere = 'https://127.0.0.1:9';

const rich = (site: string) => ({
  title: 'ご注文の品',
  body: '本文',
  icon: `${nowhere}/i.png`,
  badge: `${nowhere}/b.png`,
  url: `${site}/#order`,
  image: `${nowhere}/p.png`,
  actions: [
    { action: 'track', title: '追跡', url: `${site}/#track` },
    { action: 'help', title: '質問', icon: `${nowhere}/h.png` },
  ],
  tag: 'order-17',
  renotify: true,
  require_interaction: true,
  silent: false,
  data: { order: 17, lines: [{ sku: '鳩' }] },
  dir: 'rtl',
  lang: 'ja-JP',
  timestamp: 1_790_000_000_000,
});

/** The options of the site's only notification, as its page reads them. */
async function optionsShown(worker: SiteWorker): Promise<Record<string, any>> {
  return worker.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const [shown, ...others] = (await registration.getNotifications()) as any[];
    if (!shown || others.length) throw new Error('not one notification');
    const { title, body, icon, badge, image, tag, renotify, requireInteraction, silent, data, dir, lang } = shown;
    const actions = shown.actions.map(({ action, title, icon }: any) => ({ action, title, icon }));
    const options = { title, body, icon, badge, image, tag, renotify, requireInteraction, silent, data, dir, lang };
    return { ...options, actions, timestamp: shown.timestamp };
  });
}

async function pushAndShow(worker: SiteWorker, message: object): Promise<DesktopNotification> {
  const [shown] = await Promise.all([desktop.next(), worker.push(JSON.stringify(message))]);
  return shown;
}

test('Chromium shows every option', async ({ open }) => {
  const site = await open();
  const worker = await SiteWorker.install(chromium, site);
  const shown = await pushAndShow(worker, rich(site.url));
  expect(Object.keys(shown.buttons)).toEqual(expect.arrayContaining(['追跡', '質問']));
  const { url, actions, require_interaction: requireInteraction, data, ...same } = rich(site.url);
  expect(await optionsShown(worker)).toEqual({
    ...same,
    requireInteraction,
    actions: [
      { action: 'track', title: '追跡', icon: '' },
      { action: 'help', title: '質問', icon: `${nowhere}/h.png` },
    ],
    data: { ...data, hato: url, hatoActions: { track: `${site.url}/#track` } },
  });
  await worker.close();
});

test('each button opens its own address, and one without the address of the notification', async ({ open }) => {
  const site = await open();
  const worker = await SiteWorker.install(chromium, site);
  await worker.page.goto(`${site.url}/index.html`);
  for (const [label, opened] of [
    ['追跡', `${site.url}/#track`],
    ['質問', `${site.url}/#order`],
  ] as const) {
    const shown = await pushAndShow(worker, rich(site.url));
    expect(await pageOpenedBy(chromium, () => desktop.clickButton(shown, label)), label).toBe(opened);
    await desktop.waitClosed(shown);
  }
  const shown = await pushAndShow(worker, rich(site.url));
  expect(await pageOpenedBy(chromium, () => desktop.click(shown))).toBe(`${site.url}/#order`);
  await worker.close();
});

test("a button's address obeys the rules of a click", async ({ open }) => {
  const site = await open();
  const worker = await SiteWorker.install(chromium, site);
  await worker.page.goto(`${site.url}/index.html`);
  const actions = [
    { action: 'constructor', title: 'A' },
    { action: 'b', title: 'B', url: 'javascript:alert(1)' },
  ];
  for (const [label, opened] of [
    ['A', `${site.url}/#order`],
    ['B', `${site.url}/`],
  ] as const) {
    const shown = await pushAndShow(worker, { ...rich(site.url), actions });
    expect(await pageOpenedBy(chromium, () => desktop.clickButton(shown, label)), label).toBe(opened);
  }
  await worker.close();
});

test('what a browser would refuse is left out, and the rest is shown', async ({ open }) => {
  const site = await open();
  const worker = await SiteWorker.install(chromium, site);
  const odd = {
    title: 't', image: 'http://[', actions: [{ action: 'a' }, 7, { action: 'b', title: 'B' }], tag: ['x'], renotify: true,
    require_interaction: 'yes', silent: {}, data: [1], dir: 'up', lang: 7, timestamp: 'now', app_badge: 'many',
  };
  const shown = await pushAndShow(worker, odd);
  expect(shown.title).toBe('t');
  const options = await optionsShown(worker);
  expect(options).toMatchObject({ tag: '', renotify: false, requireInteraction: false, dir: 'auto' });
  expect(options.actions.map(({ action }: { action: string }) => action)).toEqual(['b']);
  await worker.close();
});

const declarative = (site: string) => ({
  web_push: 8030,
  notification: {
    title: '宣言',
    body: '本文',
    navigate: `${site}/#declared`,
    lang: 'ja',
    dir: 'ltr',
    tag: 'd',
    icon: `${nowhere}/i.png`,
    silent: true,
    data: { order: 17 },
    actions: [{ action: 'track', title: '追跡', navigate: `${site}/#track` }],
    app_badge: 5,
  },
  app_badge: 5,
});

for (const [how, prelude] of [
  ['', ''],
  [' without wasm', 'delete self.WebAssembly;\n'],
] as const) {
  test(`a declarative message is shown by the worker${how}, and a click leads where it says`, async ({ open, write }) => {
    const folder = await write({ ...siteFiles(init()), 'hato-sw.js': prelude + importLine });
    const site = await open({ folder });
    const worker = await SiteWorker.install(chromium, site);
    await worker.page.goto(`${site.url}/index.html`);
    const shown = await pushAndShow(worker, declarative(site.url));
    const options = await optionsShown(worker);
    expect(options).toMatchObject({ title: '宣言', body: '本文', data: { hato: `${site.url}/#declared` } });
    if (!how) {
      const { title, body, lang, dir, tag, icon, silent } = declarative(site.url).notification;
      expect(options).toMatchObject({ title, body, lang, dir, tag, icon, silent, data: { order: 17 } });
      expect(await pageOpenedBy(chromium, () => desktop.clickButton(shown, '追跡'))).toBe(`${site.url}/#track`);
    } else {
      expect(await pageOpenedBy(chromium, () => desktop.click(shown))).toBe(`${site.url}/#declared`);
    }
    await worker.close();
  });
}

test("the number is set on the app's icon, and shown all the same where that fails", async ({ open, write }) => {
  const spy = `const told = new BroadcastChannel('badge');
    Object.defineProperty(navigator, 'setAppBadge', {
      value: (number) => (told.postMessage(number), Promise.reject(new Error('no icon'))),
    });\n`;
  const folder = await write({ ...siteFiles(init()), 'hato-sw.js': spy + importLine });
  const worker = await SiteWorker.install(chromium, await open({ folder }));
  for (const [message, number] of [
    [{ title: '七', app_badge: 7 }, 7],
    [{ title: '零', app_badge: 0 }, 0],
    [{ web_push: 8030, notification: { title: '五', navigate: '/', app_badge: 5 } }, 5],
  ] as const) {
    await worker.page.evaluate(() => {
      const channel = new BroadcastChannel('badge');
      Object.assign(globalThis, { badge: new Promise((resolve) => (channel.onmessage = ({ data }) => resolve(data))) });
    });
    await pushAndShow(worker, message);
    expect(await worker.page.evaluate(() => (globalThis as any).badge)).toBe(number);
  }
  await worker.close();
});

test('Firefox shows what it knows of a message that the server sent', async ({ app, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  const message = { ...rich('https://shop.example'), url: 'https://shop.example/#order' };
  expect(await app.send(message)).toMatchObject({ sent_count: 1, failed_count: 0 });
  const shown = await page.notification('ご注文の品');
  const hatoActions = { track: 'https://shop.example/#track' };
  expect(shown).toMatchObject({ body: '本文', icon: message.icon });
  expect(shown.data).toEqual({ ...message.data, hato: message.url, hatoActions });
  const options = await page.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const [shown] = (await registration.getNotifications()) as any[];
    const { tag, dir, lang, silent, requireInteraction } = shown;
    const actions = shown.actions.map(({ action, title }: any) => ({ action, title }));
    const unknown = ['image', 'badge', 'renotify', 'timestamp'].filter((option) => !(option in shown));
    return { tag, dir, lang, silent, requireInteraction, actions, unknown };
  });
  const { tag, dir, lang, silent, require_interaction: requireInteraction } = message;
  const actions = message.actions.map(({ action, title }) => ({ action, title }));
  const unknown = ['image', 'badge', 'renotify', 'timestamp'];
  expect(options).toEqual({ tag, dir, lang, silent, requireInteraction, actions, unknown });
  expect(page.consoleErrors).toEqual([]);
});
