// The pictures of the dashboard that the landing page and README show: `style/public/dashboard-LANGUAGE-THEME.webp`.

import { join } from 'node:path';

import { startChromium } from '../support/chromium.ts';
import { expect, test } from '../support/dashboard-test.ts';

const folder = join(import.meta.dirname, '../../style/public');
const viewport = { width: 1280, height: 800 };
/** Larger ones would be most of what a first visit costs. */
const mostBytes = 80 * 1024;

test('pictures of the dashboard', async ({ ownHato: hato, states }) => {
  const { path, session } = states.get('overview');
  const chromium = await startChromium();
  for (const lang of ['ja', 'en']) {
    for (const theme of ['light', 'dark']) {
      const page = await chromium.newPage();
      await page.setViewport(viewport);
      const cookies = { hato_session: session!, hato_lang: lang, hato_theme: theme };
      for (const [name, value] of Object.entries(cookies)) await page.setCookie({ name, value, url: hato.url });
      await page.goto(`${hato.url}${path}`);
      await page.waitForFunction(() => !document.querySelector('button.copy[hidden]'));
      const file = join(folder, `dashboard-${lang}-${theme}.webp`);
      const picture = await page.screenshot({ type: 'webp', quality: 80, path: file as `${string}.webp` });
      expect(picture.length).toBeLessThanOrEqual(mostBytes);
      await page.close();
    }
  }
  await chromium.close();
});
