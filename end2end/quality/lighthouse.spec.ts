// Lighthouse's scores, as on a phone, and what a first visit costs over the wire.

import lighthouse, { type Flags } from 'lighthouse';
import type { Browser } from 'puppeteer-core';

import type { Hato } from '../support/hato.ts';
import type { PageState } from '../support/dashboard-states.ts';
import { startChromium } from '../support/chromium.ts';
import { expect, test } from '../support/dashboard-test.ts';

const categories = ['performance', 'accessibility', 'best-practices'];
const least = 98;
const mostBytes = 150 * 1024;
/** The names of the states to look at; those that people see most by default. */
const pages = process.env.HATO_PAGES?.split(',') ?? ['landing', 'reference', 'guide', 'apps', 'overview', 'history', 'compose', 'send', 'subscribers'];

async function scores(chromium: Browser, hato: Hato, { name, path, session }: PageState): Promise<void> {
  const flags: Flags = {
    port: Number(new URL(chromium.wsEndpoint()).port),
    onlyCategories: categories,
    logLevel: 'error',
    extraHeaders: session ? { Cookie: `hato_session=${session}` } : {},
  };
  const result = await lighthouse(`${hato.url}${path}`, flags);
  const { categories: found = {}, audits = {} } = result?.lhr ?? {};
  const shown = categories.map((it) => Math.round((found[it]?.score ?? 0) * 100));
  const bytes = audits['total-byte-weight']?.numericValue ?? Infinity;
  console.log(`lighthouse ${name}: ${categories.map((it, at) => `${it} ${shown[at]}`).join(', ')}, ${Math.round(bytes / 1024)} KB`);
  for (const score of shown) expect(score, name).toBeGreaterThanOrEqual(least);
  expect(bytes, name).toBeLessThanOrEqual(mostBytes);
}

test('the pages that people see most score at least 98', async ({ ownHato: hato, states }) => {
  const chromium = await startChromium();
  for (const name of pages) await scores(chromium, hato, states.get(name));
  await chromium.close();
});
