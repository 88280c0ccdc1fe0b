// From sign-up to the first notification, as a new customer goes.

import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { collectConsoleErrors } from '../support/console-errors.ts';
import { samples } from '../support/customer-site.ts';
import { createApp, createEmbedKey, createKey, open as openPage, register } from '../support/dashboard.ts';
import { expect, test } from '../support/fixtures.ts';

/** The bakery's folder, but its page is what the dashboard offers for pasting, and nothing else. */
async function pasted(snippets: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hato-site-'));
  await cp(join(samples, 'plain/hato-sw.js'), join(folder, 'hato-sw.js'));
  const state = '<output id="state"></output>';
  const say = '<script>hato.onChange((state) => { document.querySelector("#state").textContent = state; });</script>';
  const head = '<!doctype html><html lang="ja"><meta charset="utf-8"><title>はとパン</title><link rel="icon" href="data:,">';
  await writeFile(join(folder, 'index.html'), `${head}\n${state}\n${snippets}\n${say}\n`);
  return folder;
}

test('from sign-up in the dashboard to a notification in a real Firefox', { tag: '@database' }, async ({ firefox, hato, open, visit }) => {
  const dashboard = await firefox.newPage();
  const consoleErrors = collectConsoleErrors(dashboard);
  await register(dashboard, hato.url, 'owner@example.com');
  const app = await createApp(dashboard, hato.url, 'はとパン');
  const notifyKey = await createKey(dashboard, hato.url, app, 'notify');
  // The server was told another base address than the port that it was given.
  const offered = await createEmbedKey(dashboard, hato.url, app);
  const snippets = offered.replaceAll('http://localhost:3000', hato.url);
  expect(snippets).toContain('integrity="sha384-');
  expect(snippets).toMatch(/appKey: "pk_[0-9a-f]{64}"/);
  const folder = await pasted(snippets);
  // The snippet has a script in the page, which a strict policy forbids.
  const site = await open({ folder, policy: 'open' });
  const page = await visit(site);
  await page.waitForState('unsubscribed');
  await page.click('#hato-subscribe');
  await page.waitForState('subscribed');

  const url = 'https://example.com/croissant';
  const sent = { title: '焼きたてです', body: 'クロワッサンが焼きあがりました。', url };
  const accepted = await hato.api('POST', '/api/v1/notify', notifyKey, sent);
  expect(accepted).toMatchObject({ status: 202, json: { ok: true, queued: 1 } });
  const shown = await page.notification(sent.title);
  expect(shown).toMatchObject({ body: sent.body, data: { hato: url } });

  await openPage(dashboard, `${hato.url}/apps/${app}/history`);
  expect(await dashboard.evaluate(() => document.body.innerText)).toContain('焼きたてです');
  expect(consoleErrors).toEqual([]);
  expect(page.consoleErrors).toEqual([]);
  await dashboard.close();
  await rm(folder, { recursive: true });
});
