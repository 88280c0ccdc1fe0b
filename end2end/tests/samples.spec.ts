// The three ways onto a site that docs/EMBED.md describes, each from its sample, and what it says of users and tags, from its
// own blocks; in a real Firefox.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

import type { App } from '../support/app.ts';
import { samples } from '../support/customer-site.ts';
import { expect, test } from '../support/fixtures.ts';
import { init, siteFiles } from '../support/site-files.ts';
import type { Visit } from '../support/visit.ts';

/** Subscribes with the page's button and is notified; resolves with the scope of the worker that did it. */
async function subscribeAndReceive(page: Visit, app: App): Promise<string> {
  await page.subscribe();
  expect((await app.send({ title: '通知', body: '本文' })).sent_count).toBe(1);
  const { scope } = await page.notification('通知');
  expect(page.consoleErrors).toEqual([]);
  return new URL(scope).pathname;
}

test('a plain HTML site', async ({ app, open, visit }) => {
  const page = await visit(await open({ folder: join(samples, 'plain') }));
  expect(await subscribeAndReceive(page, app)).toBe('/');
});

test('the bell of a plain HTML site', async ({ app, open, visit }) => {
  const page = await visit(await open({ folder: join(samples, 'plain') }));
  await page.waitForState('unsubscribed');
  const pressed = () => page.page.$eval('hato-bell >>> button', (bell) => bell.ariaPressed);
  expect(await pressed()).toBe('false');
  await page.click('hato-bell >>> button');
  await page.waitForState('subscribed');
  expect(await pressed()).toBe('true');
  expect(await app.subscribers()).toBe(1);
  await page.click('hato-bell >>> button');
  await page.waitForState('unsubscribed');
  expect(await pressed()).toBe('false');
  await expect.poll(() => app.subscribers()).toBe(0);
});

test('a site whose own worker imports Hato', async ({ app, open, visit }) => {
  const site = await open({ folder: join(samples, 'existing-worker/imported') });
  const page = await visit(site);
  expect(await subscribeAndReceive(page, app)).toBe('/');

  // The site's own handlers: its pages without the site, and a notification of its own.
  await page.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    registration.active?.postMessage('お茶の時間');
  });
  expect((await page.notification('お茶の時間')).data).toBeNull();
  await site.stop();
  await page.page.reload();
  await page.waitForState('subscribed');
});

test('a site whose own worker is left as it is', async ({ app, open, visit }) => {
  const site = await open({ folder: join(samples, 'existing-worker/beside') });
  const page = await visit(site);
  expect(await subscribeAndReceive(page, app)).toBe('/hato-push/');
  const workers = await page.page.evaluate(async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    return registrations.map(({ scope, active }) => [new URL(scope).pathname, active?.scriptURL]);
  });
  expect(Object.fromEntries(workers)).toEqual({
    '/': `${site.url}/sw.js`,
    '/hato-push/': `${site.url}/hato-sw.js`,
  });
  const again = await visit(site);
  await again.waitForState('subscribed');
  expect(again.requests).toEqual([]);
});

test('a React app', async ({ app, open, visit }) => {
  const folder = await mkdtemp(join(tmpdir(), 'hato-react-'));
  await build({ root: join(samples, 'react'), build: { outDir: folder, emptyOutDir: true }, logLevel: 'warn' });
  const page = await visit(await open({ folder }));
  expect(await subscribeAndReceive(page, app)).toBe('/');
  await page.click('#unsubscribe');
  await page.waitForState('unsubscribed');
  // The page shows the browser's part before the server has been told of it.
  await expect.poll(() => app.subscribers()).toBe(0);
  await rm(folder, { recursive: true });
});

/** The blocks in a language of a section of the guide. */
async function guideBlocks(section: string, language: string): Promise<string[]> {
  const guide = await readFile(join(import.meta.dirname, '../../docs/EMBED.md'), 'utf8');
  const text = guide.split(`## ${section}\n`)[1]!.split('\n## ')[0]!;
  return [...text.matchAll(/```(\w+)\n(.*?)```/gs)].filter(([, name]) => name === language).map(([, , block]) => block!);
}

test('users, tags, log-out and preferences as the guide has them', async ({ app, open, visit, write }) => {
  const blocks = async (language: string) => (await guideBlocks('Users and tags', language)).join('\n');
  const { 'index.html': page, 'site.js': wiring, ...files } = siteFiles(`${init()};\n${await blocks('js')}`);
  const element = (await blocks('html')).replace(/<script.*hato.js.*/, '');
  const style = '<link rel="stylesheet" href="/site.css">';
  const me = { userId: 'user-42', userToken: await app.userToken('user-42') };
  const folder = await write({
    ...files,
    'index.html': page!.replace('<script src="/site.js">', `<button id="log-out">ログアウト</button>${element}${style}$&`),
    'site.js': `${wiring}\nglobalThis.guide = { follow, unfollow, followed };`,
    'site.css': await blocks('css'),
    'me.json': JSON.stringify(me),
    'goodbye.html': page!.replace(/<script.*/, ''),
  });
  const visitor = await visit(await open({ folder }));
  await visitor.subscribe();
  const endpoint = await visitor.endpoint();
  await expect.poll(async () => (await app.visitor(endpoint)).user_id).toBe('user-42');

  const teams = await visitor.page.evaluate(async () => {
    const { follow, unfollow, followed } = (globalThis as any).guide;
    return [await follow('doves'), await unfollow('doves'), await followed()];
  });
  expect(teams).toEqual([['sports', 'team:doves'], ['sports'], ['sports']]);

  const bread = 'hato-preferences >>> input[value="bread"]';
  await visitor.page.locator('hato-preferences >>> fieldset:enabled').wait();
  const look = await visitor.page.$eval(bread, (box) => getComputedStyle(box).accentColor);
  expect(look).toBe('rgb(31, 78, 121)');
  await visitor.click(bread);
  await visitor.page.waitForFunction(
    () => document.querySelector('hato-preferences')!.shadowRoot!.querySelector('[role=status]')!.textContent === '保存しました',
    { polling: 20 },
  );
  expect((await app.visitor(endpoint)).tags).toEqual(['bread', 'sports']);

  await Promise.all([visitor.page.waitForNavigation(), visitor.click('#log-out')]);
  expect(new URL(visitor.page.url()).pathname).toBe('/goodbye.html');
  expect(await app.visitor(endpoint)).toMatchObject({ user_id: null, tags: ['bread', 'sports'] });
  expect(visitor.consoleErrors).toEqual([]);
});
