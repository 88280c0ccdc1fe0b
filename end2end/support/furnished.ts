// A server of its own with one of everything on it, which ends with the test.

import { Hato } from './hato.ts';
import { Loft } from './loft.ts';
import { test as base } from './stage.ts';

interface Furnished {
  house: Hato;
  loft: Loft;
}

export const test = base.extend<Furnished>({
  house: async ({ push }, use) => {
    const house = await Hato.start(push);
    await use(house);
    await house.stop();
  },
  loft: async ({ house, push }, use) => use(await Loft.furnish(house, push)),
});

export { expect } from '@playwright/test';
