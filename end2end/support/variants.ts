// The variants in which everything has to work: in both languages, and with scripts off.

export interface Variant {
  name: string;
  lang: 'ja' | 'en';
  locale: string;
  scripts: boolean;
  /** One of them runs on every database. */
  tag: string[];
}

export const variants: Variant[] = [
  { name: 'in Japanese', lang: 'ja', locale: 'ja-JP', scripts: true, tag: ['@database'] },
  { name: 'in English', lang: 'en', locale: 'en-GB', scripts: true, tag: [] },
  { name: 'with scripts off', lang: 'ja', locale: 'ja-JP', scripts: false, tag: [] },
];
