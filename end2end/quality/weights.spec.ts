// What each page costs who opens it for the first time, compressed and without its pictures.

import type { Browser, Request } from '@playwright/test';

import { openGuarded, openLoggedIn } from '../support/console-guard.ts';
import type { PageState } from '../support/dashboard-states.ts';
import { expect, test } from '../support/dashboard-test.ts';

/** Most bytes of a page with an island, whose code is loaded, and of one without. */
const mostBytes = { island: 150 * 1024, static: 25 * 1024 };

/** What goes on after the page is there, and pictures. */
const apart = ['image', 'eventsource'];

/** The page's weight in bytes, and whether it has an island. */
async function weigh(browser: Browser, hato: string, { path, session }: PageState): Promise<{ bytes: number; kind: 'island' | 'static' }> {
  const settings = { baseURL: hato, locale: 'ja-JP' };
  const { page } = await (session ? openLoggedIn(browser, hato, session, settings) : openGuarded(browser, settings));
  const loaded: Request[] = [];
  page.on('requestfinished', (request) => loaded.push(request));
  await page.goto(path);
  const kind = (await page.locator('script[type=module]').count()) > 0 ? 'island' : 'static';
  const isCode = (request: Request) => request.url().endsWith('.wasm');
  if (kind === 'island') await expect.poll(() => loaded.some(isCode), { intervals: [20] }).toBe(true);
  const counted = loaded.filter((request) => !apart.includes(request.resourceType()));
  const sizes = await Promise.all(counted.map((request) => request.sizes()));
  await page.context().close();
  return { bytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0), kind };
}

test('no page weighs more than its kind may', async ({ browser, ownHato: hato, states }) => {
  test.setTimeout(600_000);
  const seen = new Set<string>();
  const heavy: string[] = [];
  for (const state of states.all) {
    const address = `${state.path} ${state.session}`;
    if (seen.has(address)) continue;
    seen.add(address);
    const { bytes, kind } = await weigh(browser, hato.url, state);
    expect(bytes, state.name).toBeGreaterThan(2_000);
    if (bytes > mostBytes[kind]) heavy.push(`${state.name}: ${bytes} bytes, ${kind}`);
  }
  expect(heavy).toEqual([]);
});
