// <hato-preferences>, as people with and without a mouse meet it, in a real Chromium. That what is ticked comes to the
// server is in samples.spec.ts: Chromium has no push service to subscribe at.

import axe from 'axe-core';
import type { Page } from '@playwright/test';

import { siteFiles } from '../support/site-files.ts';
import { expect, test } from '../support/fixtures.ts';

const options = '<option value="bread">焼きあがり</option><option value="sweets">お菓子</option><option value="_vip">会員</option>';

/** A page script whose visitor is subscribed and has a tag; what a test sets in it happens. */
const standIn = `
  globalThis.visitor = { state: "subscribed", tags: new Set(["sweets"]), listeners: [], saved: [] };
  const change = async (act) => {
    if (visitor.wait) await visitor.wait;
    if (visitor.error) throw Object.assign(new Error(), { code: visitor.error });
    act();
    return [...visitor.tags];
  };
  globalThis.hato = {
    onChange(listener) {
      visitor.listeners.push(listener);
      listener(visitor.state);
      return () => visitor.listeners.splice(visitor.listeners.indexOf(listener), 1);
    },
    tags: () => change(() => {}),
    addTags: (tags) => change(() => tags.forEach((tag) => visitor.tags.add(tag))),
    removeTags: (tags) => change(() => tags.forEach((tag) => visitor.tags.delete(tag))),
  };
  for (const name of ["saved", "failed"]) {
    addEventListener("hato-preferences-" + name, ({ detail }) => visitor.saved.push({ name, ...detail }));
  }`;

/** A site with the element; its page script is the stand-in, after which `script` is run. */
function files(script = ''): Record<string, string> {
  const body = `<main><h1>はとパン</h1><hato-preferences>${options}</hato-preferences></main>`;
  const { 'index.html': page } = siteFiles('');
  const head = page!.replace(/<output.*/s, '').replace('<link', '<link rel="stylesheet" href="/site.css"><link');
  const scripts = '<script src="/site.js"></script><script src="https://push.example.com/sdk/preferences.js"></script>';
  const style = ':root { color-scheme: light dark; background: light-dark(#fff, #1d1a16); }';
  return { 'index.html': `${head}${scripts}${body}`, 'site.js': standIn + script, 'site.css': style };
}

const group = (page: Page) => page.getByRole('group', { name: '受け取る通知' });
const box = (page: Page, name: string) => page.getByRole('checkbox', { name });
const status = (page: Page) => page.getByRole('status');
const saved = (page: Page) => page.evaluate(() => (globalThis as any).visitor.saved);

/** Sets members of the stand-in's visitor, and tells of the state. */
const become = (page: Page, members: object) =>
  page.evaluate((members) => {
    const { visitor } = globalThis as any;
    Object.assign(visitor, members);
    for (const listener of [...visitor.listeners]) listener(visitor.state);
  }, members);

test('it shows the tags that the visitor has, and says nothing before a tick', async ({ open, page, write }) => {
  await page.goto((await open({ folder: await write(files()) })).url);
  await expect(box(page, '焼きあがり')).toBeEnabled();
  await expect(box(page, 'お菓子')).toBeChecked();
  await expect(box(page, '焼きあがり')).not.toBeChecked();
  await expect(status(page)).toBeEmpty();
  await expect(group(page)).toHaveAccessibleDescription('');
  expect(await box(page, '焼きあがり').evaluate((it) => it.parentElement!.getBoundingClientRect().height)).toBeGreaterThanOrEqual(44);
  expect(await saved(page)).toEqual([]);
});

test('a tick is saved at once, with the keyboard alone', async ({ open, page, write }) => {
  await page.goto((await open({ folder: await write(files()) })).url);
  await expect(box(page, '焼きあがり')).toBeEnabled();
  await page.keyboard.press('Tab');
  await expect(box(page, '焼きあがり')).toBeFocused();
  expect(await box(page, '焼きあがり').evaluate((it) => getComputedStyle(it).outlineStyle)).toBe('solid');
  await page.keyboard.press('Space');
  await expect(status(page)).toHaveText('保存しました');
  await expect(box(page, '焼きあがり')).toBeFocused();
  expect(await saved(page)).toEqual([{ name: 'saved', tags: ['sweets', 'bread'] }]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect.poll(() => saved(page)).toHaveLength(2);
  expect((await saved(page))[1]).toEqual({ name: 'saved', tags: ['bread'] });
});

test('it says that it is saving until the last of several ticks is saved', async ({ open, page, write }) => {
  await page.goto((await open({ folder: await write(files()) })).url);
  await expect(box(page, '焼きあがり')).toBeEnabled();
  await page.evaluate(() => {
    const { visitor } = globalThis as any;
    visitor.wait = new Promise((resolve) => (visitor.go = resolve));
  });
  await box(page, '焼きあがり').click();
  await box(page, 'お菓子').click();
  await expect(status(page)).toHaveText('保存しています…');
  await expect(group(page)).toHaveAttribute('aria-busy', 'true');
  await expect(box(page, '焼きあがり')).toBeChecked();
  await page.evaluate(() => (globalThis as any).visitor.go());
  await expect(status(page)).toHaveText('保存しました');
  await expect(group(page)).toHaveAttribute('aria-busy', 'false');
  await expect(box(page, 'お菓子')).not.toBeChecked();
  expect(await saved(page)).toHaveLength(2);
});

test('a tick that cannot be saved is taken back, and said', async ({ open, page, write }) => {
  await page.goto((await open({ folder: await write(files()) })).url);
  await expect(box(page, '焼きあがり')).toBeEnabled();
  await page.evaluate(() => ((globalThis as any).visitor.error = 'NETWORK_ERROR'));
  await box(page, '焼きあがり').click();
  await expect(status(page)).toHaveText('保存できませんでした。もう一度お試しください');
  await expect(box(page, '焼きあがり')).not.toBeChecked();
  await expect(box(page, 'お菓子')).toBeChecked();
  expect(await saved(page)).toEqual([{ name: 'failed', code: 'NETWORK_ERROR' }]);
});

for (const [state, hint] of [
  ['unsubscribed', '通知をオンにすると選べます'],
  ['denied', /ブロックされています/],
  ['needs-install', /ホーム画面に追加/],
  ['unsupported', /受け取れません/],
] as const) {
  test(`a visitor who is ${state} is told what is missing`, async ({ open, page, write }) => {
    const site = await open({ folder: await write(files(`; visitor.state = "${state}";`)) });
    await page.goto(site.url);
    await expect(box(page, '焼きあがり')).toBeDisabled();
    await expect(group(page)).toHaveAccessibleDescription(hint);
    await expect(page.getByText(hint)).toBeVisible();
    await become(page, { state: 'subscribed' });
    await expect(box(page, '焼きあがり')).toBeEnabled();
    await expect(group(page)).toHaveAccessibleDescription('');
    await expect(box(page, 'お菓子')).toBeChecked();
  });
}

test('what could not be loaded cannot be changed', async ({ open, page, write }) => {
  await page.goto((await open({ folder: await write(files('; visitor.error = "NETWORK_ERROR";')) })).url);
  await expect(group(page)).toHaveAccessibleDescription(/読み込めませんでした/);
  await expect(box(page, '焼きあがり')).toBeDisabled();
});

test('the owner’s tags are shown and cannot be ticked', async ({ open, page, write }) => {
  await page.goto((await open({ folder: await write(files('; visitor.tags.add("_vip");')) })).url);
  await expect(box(page, '焼きあがり')).toBeEnabled();
  await expect(box(page, '会員')).toBeChecked();
  await expect(box(page, '会員')).toBeDisabled();
});

test('it follows the page’s options, and leaves with the page’s element', async ({ open, page, write }) => {
  await page.goto((await open({ folder: await write(files()) })).url);
  await expect(box(page, '焼きあがり')).toBeEnabled();
  await page.evaluate(() => {
    const element = document.querySelector('hato-preferences')!;
    element.append(Object.assign(document.createElement('option'), { value: 'cake', textContent: 'ケーキ' }));
    element.querySelector('option')!.textContent = '焼きたて';
    element.setAttribute('label', 'お知らせ');
  });
  await expect(page.getByRole('group', { name: 'お知らせ' })).toBeVisible();
  await expect(box(page, 'ケーキ')).toBeVisible();
  await expect(box(page, '焼きたて')).toBeVisible();
  await page.evaluate(() => document.querySelector('hato-preferences')!.remove());
  expect(await page.evaluate(() => (globalThis as any).visitor.listeners.length)).toBe(0);
});

test('it speaks the language of its place and wears its style', async ({ open, page, write }) => {
  const consoleErrors: string[] = [];
  page.on('console', (message) => consoleErrors.push(message.text()));
  const style = `
    hato-preferences { --hato-preferences-size: 40px; --hato-preferences-color: rgb(1, 2, 3); }
    hato-preferences::part(legend) { font-size: 32px; }`;
  await page.goto((await open({ folder: await write({ ...files(), 'site.css': style }) })).url);
  await page.evaluate(() => {
    const element = document.querySelector<HTMLElement>('hato-preferences')!;
    element.remove();
    element.lang = 'en-GB';
    document.body.append(element);
  });
  const english = page.getByRole('group', { name: 'What to be notified of' });
  await expect(box(page, '焼きあがり')).toBeEnabled();
  const look = await english.evaluate((group) => {
    const { color } = getComputedStyle(group);
    const { fontSize } = getComputedStyle(group.querySelector('legend')!);
    return { color, fontSize, width: getComputedStyle(group.querySelector('input')!).width };
  });
  expect(look).toEqual({ color: 'rgb(1, 2, 3)', fontSize: '32px', width: '40px' });
  await box(page, '焼きあがり').click();
  await expect(status(page)).toHaveText('Saved');
  await become(page, { state: 'denied' });
  await expect(english).toHaveAccessibleDescription(/Notifications are blocked/);
  // The site's policy forbids inline styles: the element must not need them.
  expect(consoleErrors).toEqual([]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in its states, in ${colorScheme}`, async ({ open, page, write }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto((await open({ folder: await write(files()) })).url);
    await expect(box(page, '焼きあがり')).toBeEnabled();
    await page.evaluate(axe.source);
    const inspect = () => page.evaluate(async () => (await (globalThis as any).axe.run()).violations);
    expect(await inspect()).toEqual([]);
    await box(page, '焼きあがり').click();
    await expect(status(page)).toHaveText('保存しました');
    expect(await inspect()).toEqual([]);
    await become(page, { state: 'unsubscribed' });
    await expect(box(page, '焼きあがり')).toBeDisabled();
    expect(await inspect()).toEqual([]);
  });
}
