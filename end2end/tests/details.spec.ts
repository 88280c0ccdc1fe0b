// What styles and scripts make of small things, in Chromium: meters, headings, code, and the word on an icon.

import type { Page } from '@playwright/test';

import { ApiApp } from '../support/api-app.ts';
import { expect, test } from '../support/fixtures.ts';
import { openLoggedIn } from '../support/console-guard.ts';

/** The smallest size in which code is read letter by letter, in CSS pixels. */
const leastCode = 13;

/** The colours of the first meter, half full, at its first, middle and last row: where it is full, and where it is empty. */
async function meterColours(page: Page): Promise<{ full: string[]; empty: string[] }> {
  const meter = page.locator('meter').first();
  await meter.evaluate((it: HTMLMeterElement) => {
    it.value = it.max / 2;
  });
  const picture = (await meter.screenshot()).toString('base64');
  return page.evaluate(async (picture) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const drawing = canvas.getContext('2d')!;
    drawing.drawImage(image, 0, 0);
    const rows = [1, Math.floor(image.height / 2), image.height - 2];
    const colours = (x: number) => rows.map((y) => drawing.getImageData(Math.floor(x), y, 1, 1).data.join());
    return { full: colours(image.width / 4), empty: colours((image.width * 3) / 4) };
  }, picture);
}

/** The sizes of all code on the page that are too small, with the code. */
function smallCode(page: Page): Promise<string[]> {
  return page.locator('code, pre').evaluateAll((all, least) => {
    const size = (it: Element) => parseFloat(getComputedStyle(it).fontSize);
    return all.filter((it) => size(it) < least).map((it) => `${size(it)}px: ${it.textContent?.slice(0, 40)}`);
  }, leastCode);
}

test('meters fill their height, code is large enough, long titles end, and a wrong icon gets a word', async ({
  browser,
  hato,
  push,
}) => {
  const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
  await app.subscribe(await push.subscribe(2));
  const send = await app.send({ title: '長い題名です。'.repeat(34), body: '本文' });
  const { page } = await openLoggedIn(browser, hato.url, app.session, { locale: 'ja-JP' });

  for (const path of ['', '/send', '/subscribers', '/keys', '/keys/vapid', '/dead-letters', '/webhook', `/sends/${send}`]) {
    await page.goto(app.path + path);
    expect(await smallCode(page), path).toEqual([]);
  }
  const heading = page.locator('h1');
  const lines = await heading.evaluate((it) => it.clientHeight / parseFloat(getComputedStyle(it).lineHeight));
  expect(lines).toBeLessThan(2.5);
  await expect(page.locator('.send-details .notification-text b')).toHaveText('長い題名です。'.repeat(34));

  await page.goto(`${app.path}/send`);
  const { full, empty } = await meterColours(page);
  expect(new Set(full).size, full.join(' ')).toBe(1);
  expect(new Set(empty).size, empty.join(' ')).toBe(1);
  expect(full[0]).not.toBe(empty[0]);

  const word = page.locator('.picture-problem');
  await page.locator('details:has(#send-icon) > summary').click();
  await page.route('https://icons.example/**', (route) => route.abort());
  for (const [address, says] of [
    ['http://icons.example/a.png', 'https:// で始まる URL'],
    ['https://icons.example/a.png', '読み込めません'],
    ['', ''],
  ] as const) {
    await page.locator('#send-icon').fill(address);
    await page.locator('#send-title').click();
    if (says) await expect(word).toContainText(says);
    else await expect(word).toBeEmpty();
  }
  // The same of the others, which are shown elsewhere.
  await page.locator('details:has(#send-image) > summary').click();
  for (const [field, name] of [
    ['badge', 'バッジ'],
    ['image', '大きな画像'],
  ] as const) {
    const address = page.locator(`#send-${field}`);
    await address.fill('http://icons.example/a.png');
    await page.locator('#send-title').click();
    await expect(word).toContainText(`${name}は表示されません。`);
    await address.fill('https://icons.example/a.png');
    await page.locator('#send-title').click();
    await expect(word).toContainText(`${name}の URL から画像を読み込めません。`);
    await address.fill('');
    await page.locator('#send-title').click();
    await expect(word).toBeEmpty();
  }

  // One that is in the form already fails before the scripts run.
  let failed = 0;
  page.on('requestfailed', (request) => (failed += Number(request.url().endsWith('/late.png'))));
  await page.route(/\.wasm$/, async (route) => {
    await expect.poll(() => failed, { intervals: [20] }).toBeGreaterThan(0);
    await route.continue();
  });
  await page.locator('#send-title').fill('題');
  await page.locator('#send-body').fill('本文');
  await page.locator('#send-icon').fill('https://icons.example/late.png');
  await page.locator('button[value=review]').click();
  await expect(page.locator('.review')).toBeVisible();
  failed = 0;
  await page.locator('button[value=edit]').click();
  await expect(page.locator('#send-icon')).toHaveValue('https://icons.example/late.png');
  await expect(word).toContainText('読み込めません');
  await page.context().close();
});
