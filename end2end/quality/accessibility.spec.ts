// axe-core finds nothing on any page in any state, in either theme and either language.

import axe from 'axe-core';

import { expect, test } from '../support/furnished.ts';
import { unfold } from '../support/loft.ts';
import { everyLook, tour } from '../support/tour.ts';

test('no page has a violation in either theme and either language', async ({ browser, house: hato, loft }) => {
  const found: string[] = [];
  let looked = 0;
  for (const look of everyLook([390, 1440])) {
    await tour(browser, hato.url, loft, look.options, async (page, name) => {
      // What is folded away is looked at too.
      await unfold(page);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => (globalThis as any).axe.run());
      for (const { id, nodes } of violations) {
        found.push(`${name} ${look.name}: ${id} ${nodes.map((node: any) => node.target).join(' | ')}`);
      }
      looked += 1;
    });
  }
  console.log(`axe-core: ${found.length} violations in ${looked} looks at ${loft.stops.length} pages and states`);
  expect(found).toEqual([]);
});
