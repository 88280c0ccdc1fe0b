// axe-core finds nothing on any page, in either theme.

import axe from 'axe-core';

import { Loft } from '../support/loft.ts';
import { expect, test } from '../support/furnished.ts';
import { openSignedIn, openWatched } from '../support/watched.ts';

test('no page has a violation in either theme', async ({ browser, house: hato, loft }) => {
  const found: string[] = [];
  let looked = 0;
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1440, height: 900 },
    ]) {
      const options = { colorScheme, viewport, baseURL: hato.url };
      const visitor = await openWatched(browser, options);
      const owner = await openSignedIn(browser, hato.url, loft.session, options);
      const tour = [
        ...Loft.entrance.map((it) => ({ ...it, page: visitor.page })),
        ...loft.pages.map((it) => ({ ...it, page: owner.page })),
      ];
      for (const { name, path, page } of tour) {
        await page.goto(path);
        // What is folded away is looked at too.
        await page.evaluate(() => document.querySelectorAll('details').forEach((fold) => (fold.open = true)));
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate(() => (globalThis as any).axe.run());
        for (const { id, nodes } of violations) {
          found.push(`${name} ${colorScheme} ${viewport.width}: ${id} ${nodes.map((node: any) => node.target).join(' | ')}`);
        }
        looked += 1;
      }
      await visitor.page.context().close();
      await owner.page.context().close();
    }
  }
  console.log(`axe-core: ${found.length} violations on ${looked} pages`);
  expect(found).toEqual([]);
});
