// axe-core finds nothing on any page in any state, in either theme and either language.

import axe from 'axe-core';

import { expect, test } from '../support/dashboard-test.ts';
import { unfold } from '../support/dashboard-states.ts';
import { allAppearances, visitAllPages } from '../support/visit-all-pages.ts';

test('no page has a violation in either theme and either language', async ({ browser, ownHato: hato, states }) => {
  const found: string[] = [];
  let inspected = 0;
  for (const appearance of allAppearances([390, 1440])) {
    await visitAllPages(browser, hato.url, states, appearance.options, async (page, name) => {
      // axe skips what is hidden in a closed details element.
      await unfold(page);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => (globalThis as any).axe.run());
      for (const { id, nodes } of violations) {
        found.push(`${name} ${appearance.name}: ${id} ${nodes.map((node: any) => node.target).join(' | ')}`);
      }
      inspected += 1;
    });
  }
  console.log(`axe-core: ${found.length} violations in ${inspected} inspections of ${states.all.length} pages and states`);
  expect(found).toEqual([]);
});
