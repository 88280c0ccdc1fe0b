// The pages below /docs: what a script adds to the guides, and what all of them weigh.

import { get } from 'node:http';

import { openGuarded } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';

/** Most that a page without islands may weigh, with its style and script, compressed; pictures apart. */
const mostBytes = 25 * 1024;

/** How many bytes an answer has on the wire. */
function weight(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'accept-encoding': 'br' } }, async (answer) => {
      let bytes = 0;
      for await (const chunk of answer) bytes += chunk.length;
      resolve(bytes);
    });
    request.on('error', reject);
  });
}

test('a guide is read with its code copied and its place found', async ({ browser, ownHato: hato }) => {
  const { page, consoleErrors } = await openGuarded(browser, { baseURL: hato.url, locale: 'ja-JP' });
  await page.goto('/docs');
  await page.getByRole('link', { name: 'Putting Hato on a site' }).click();
  const code = page.locator('.guide .code').first();
  await code.getByRole('button').click();
  await expect(code.getByRole('button')).toHaveText(/コピーしました|選択しました/);
  await page.getByRole('link', { name: 'A React app' }).click();
  await expect(page.locator('#a-react-app')).toBeInViewport();
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('no page of the documentation is heavy', async ({ browser, ownHato: hato }) => {
  const { page } = await openGuarded(browser, { baseURL: hato.url, locale: 'ja-JP' });
  const paths = new Set(['/', '/docs']);
  for (const list of ['/docs', '/docs/api']) {
    await page.goto(list);
    const links = await page.locator('main a[href^="/docs/"]').evaluateAll((all: any[]) => all.map((it) => it.pathname));
    for (const path of links) paths.add(path);
  }
  expect(paths.size).toBeGreaterThan(20);
  for (const path of paths) {
    await page.goto(path);
    const files = await page.locator('link[rel=stylesheet], script[src]').evaluateAll((all: any[]) => all.map((it) => it.href ?? it.src));
    const weights = await Promise.all([page.url(), ...files].map(weight));
    const sum = weights.reduce((sum, it) => sum + it);
    console.log(`${path}: ${weights.join(' + ')} = ${sum} bytes`);
    expect(sum, path).toBeLessThanOrEqual(mostBytes);
  }
  await page.context().close();
});
