// Points in time on the visitor's own clock, wherever a page shows one: before anybody sees another, and with UTC on hover.

import type { Page } from '@playwright/test';

import { ApiApp } from '../support/api-app.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';

const MINUTES = /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/;

/**
 * Before the page's own scripts: notes every time that a frame shows in UTC. That there is none is also why nothing moves when it is
 * written anew. How far a page moves in all says nothing of it: a slow browser shows a table before it has read its last rows.
 */
function watchFrames(): void {
  const inUtc: string[] = [];
  (globalThis as any).inUtc = inUtc;
  const look = () => {
    for (const time of document.querySelectorAll('time')) {
      if (time.textContent!.includes('UTC')) inUtc.push(time.textContent!);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** The times of the page with what they say on hover. */
function times(page: Page): Promise<{ text: string; hover: string; at: number }[]> {
  return page.$$eval('time', (all) =>
    all.map((it) => ({ text: it.textContent!, hover: it.title, at: Date.parse(it.dateTime) })),
  );
}

/** A moment to the minute, as somebody in New York reads it. */
function inNewYork(at: number): string {
  const options = { timeZone: 'America/New_York', dateStyle: 'short', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat('sv-SE', options).format(at);
}

/** Opens the page, on which every time is the visitor's own from the first frame on, with UTC on hover. */
async function expectOwnTimes(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))));
  const shown = await times(page);
  expect(shown.length, path).toBeGreaterThan(0);
  for (const { text, hover } of shown) {
    expect(text, path).not.toContain('UTC');
    expect(hover, path).toContain(' UTC');
  }
  expect(await page.evaluate(() => (globalThis as any).inUtc), path).toEqual([]);
}

const options = { locale: 'en-GB', timezoneId: 'America/New_York' };

test('every time is the visitor’s own from the first frame on', async ({ browser, hato, push }) => {
  const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
  await app.subscribe(await push.subscribe(1));
  const sent = await app.request('POST', '/notify', { title: '便り', body: '本文' });
  const later = Date.now() + 40 * 3_600_000;
  const scheduled = await app.request('POST', '/notify', { title: 'あとで', body: '本文', send_at: later });
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, options);
  await page.addInitScript(watchFrames);

  for (const path of ['/apps', '/account', '', '/history', '/subscribers', '/keys/vapid', `/sends/${sent.send_id}`]) {
    await expectOwnTimes(page, path.startsWith('/a') ? path : app.path + path);
  }

  await page.goto(`${app.path}/sends/${scheduled.send_id}`);
  const due = (await times(page)).find(({ at }) => at === later)!;
  expect(due.text).toBe(`${inNewYork(later)} (America/New_York)`);
  expect(due.hover).toMatch(MINUTES);
  // What was a moment ago says so; what is a day away or more is a date.
  await page.goto(`${app.path}/history`);
  await expect(page.locator('tr', { hasText: '便り' }).locator('time')).toHaveText(/^(now|\d+ minutes? ago)$/);
  await expect(page.locator('tr', { hasText: 'あとで' }).locator('time')).toHaveText(inNewYork(later));
  await page.goto(app.path);
  // A part of the page that the server sends anew is written in the same way.
  await page.evaluate(() => {
    const part = document.querySelector('#coming')!;
    const fresh = part.cloneNode(true) as Element;
    for (const time of fresh.querySelectorAll('time')) time.textContent = time.title;
    part.replaceWith(fresh);
  });
  await expect(page.locator('#coming time')).toHaveText(`${inNewYork(later)} (America/New_York)`);
  // Of a day in UTC nobody knows a moment: it is the same day everywhere.
  await page.evaluate(() => {
    const day = '<time id="day" datetime="2026-01-31T00:00:00.000Z" title="2026-01-31 UTC" data-as="utc-day">2026-01-31 UTC</time>';
    document.body.insertAdjacentHTML('beforeend', day);
  });
  await expect(page.locator('#day')).toHaveText('2026-01-31 UTC');
  expect(consoleErrors).toEqual([]);
  await page.context().close();

  const still = await openLoggedIn(browser, hato.url, app.session, { ...options, javaScriptEnabled: false });
  await still.page.goto(`${app.path}/history`);
  for (const { text, hover } of await still.page.locator('time').evaluateAll((all) =>
    all.map((it) => ({ text: it.textContent!, hover: (it as HTMLElement).title })),
  )) {
    expect(text).toMatch(MINUTES);
    expect(hover).toBe(text);
  }
  // Whose days these are, no script has told.
  await still.page.goto(app.path);
  await expect(still.page.locator('#chart time')).toHaveText('00:00 UTC');
  await still.page.context().close();
});

test('times on pages about keys, webhooks, subscribers and accounts are so too', async ({ browser, ownHato: hato, states }) => {
  const pages = ['operator', 'keys', 'key-history', 'dead-letters', 'webhook', 'webhook-event', 'subscriber', 'review'];
  for (const name of pages) {
    const { path, session } = states.get(name);
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session!, options);
    await page.addInitScript(watchFrames);
    await expectOwnTimes(page, path);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  }
});
