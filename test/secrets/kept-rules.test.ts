/**
 * That Lodeline's rules find what a kept set of rules finds. Issuers change their forms; whoever keeps that set follows them, and a new
 * version of it fails here where a rule of ours is behind.
 */
import { describe, expect, test } from 'bun:test'
import { lintSource } from '@secretlint/core'
import { rules as kept, creator as preset } from '@secretlint/secretlint-rule-preset-recommend'
import { findSecrets } from '../../src/domain/secrets/find-secrets'
import { secretMask } from '../../src/domain/secrets/mask'
import { SECRET_RULE_NAMES } from '../../src/domain/secrets/rules'
import { AFTER, BEFORE, SampleSecrets } from './sample-secrets'

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const ALNUM = LOWER + UPPER + DIGITS
const HEX = `${DIGITS}abcdef`

const PREFIX = '@secretlint/secretlint-rule-'
/** It holds no form: it reads comments that switch others off. */
const NO_FORM = 'filter-comments'

/** What the kept set finds in a text, by rule. Some of its rules look into files of one name alone. */
async function keptFinds(content: string, filePath: string): Promise<{ rule: string; from: number; to: number }[]> {
  const ext = filePath.slice(filePath.lastIndexOf('.'))
  const { messages } = await lintSource({
    source: { content, filePath, ext, contentType: 'text' },
    options: { config: { rules: [{ id: preset.meta.id, rule: preset, options: {} }] }, noPhysicFilePath: false },
  })
  return messages.map(({ ruleId, range: [from, to] }) => ({ rule: ruleId.replace(PREFIX, ''), from, to }))
}

type Text = (characters: string, length: number) => string
interface Sample {
  text: string
  file?: string
}

/** Texts in each form that the issuers of a rule document. They are put together at run time. */
const DOCUMENTED: Record<string, (text: Text) => (string | Sample)[]> = {
  '1password': (text) => [`ops${'_'}${account(text)}`],
  anthropic: (text) => ['api03', 'api04'].map((kind) => `sk-ant-${kind}-${text(`${ALNUM}_-`, 93)}AA`),
  aws: (text) =>
    [
      'aws_secret_access_key = ',
      'AWS_SECRET_ACCESS_KEY=',
      '"SecretAccessKey": "',
      "secretAccessKey: '",
      ':secret_access_key => "',
    ].map((name) => `${name}${text(`${ALNUM}/+`, 39)}${text(ALNUM, 1)}"`),
  basicauth: (text) =>
    ['http', 'https', 'ftp'].map((scheme) => `${scheme}://${'bob'}:${text(ALNUM, 12)}@files.internal.net/a`),
  cloudflare: (text) => ['cfk', 'cfut', 'cfat'].map((kind) => `${kind}_${text(ALNUM, 40)}${text(HEX, 8)}`),
  'database-connection-string': (text) =>
    ['mongodb', 'mongodb+srv', 'mysql', 'mysqlx', 'jdbc:mysql', 'postgres', 'postgresql'].flatMap((scheme) => [
      `${scheme}://${'app'}:${text(ALNUM, 9)}@db.internal:5432/app?x=1`,
      `${scheme}://${'app'}:${text('!#%&*+=~', 3)}${text(ALNUM, 5)}@localhost/app`,
    ]),
  databricks: (text) => [`da${'pi'}${text(HEX, 32)}`, `da${'pi'}${text(HEX, 32)}-2`, `da${'pi'}${text('ABCDEF', 32)}`],
  docker: (text) => [`dckr${'_'}pat_${text(`${ALNUM}_-`, 27)}`],
  figma: (text) => [40, 80].map((length) => `figd${'_'}${text(`${ALNUM}_-`, length)}`),
  gcp: (text) => [
    { file: 'key.json', text: JSON.stringify({ private_key_id: text(HEX, 40), private_key: pem(text, '') }) },
  ],
  github: (text) => [
    ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((kind) => `${kind}_${text(ALNUM, 36)}`),
    `github${'_'}pat_${text(ALNUM, 22)}_${text(ALNUM, 59)}`,
    `ghs${'_'}${text(DIGITS, 7)}_${new SampleSecrets(3).of('web-token')}`,
  ],
  gitlab: (text) => [`glpat${'-'}${text(`${ALNUM}_-`, 20)}`, `glpat${'-'}${text(ALNUM, 27)}.01.${text(HEX, 9)}`],
  grafana: (text) => [
    `glsa${'_'}${text(ALNUM, 32)}_${text(HEX, 8)}`,
    `glc${'_'}${Buffer.from(JSON.stringify({ o: text(DIGITS, 6), n: 'stack', k: text(ALNUM, 24) })).toString('base64')}`,
  ],
  groq: (text) => [`gsk${'_'}${text(ALNUM, 52)}`],
  'hashicorp-vault': (text) => [
    `hvs${'.'}${text(`${ALNUM}_-`, 91)}`,
    `hvb${'.'}${text(`${ALNUM}_-`, 140)}`,
    `hvr${'.'}${text(`${ALNUM}_-`, 91)}`,
  ],
  huggingface: (text) => [`hf${'_'}${text(LOWER + UPPER, 34)}`],
  linear: (text) => [32, 40].map((length) => `lin${'_'}api_${text(ALNUM, length)}`),
  notion: (text) => [`ntn${'_'}${text(DIGITS, 11)}${text(ALNUM, 35)}`],
  npm: (text) => [
    `npm${'_'}${text(ALNUM, 36)}`,
    { file: '.npmrc', text: `//registry.npmjs.org/:_authToken=${new SampleSecrets(4).of('npmrc-token')}\n` },
    { file: 'package.json', text: `https://ghp${'_'}${text(ALNUM, 36)}:x-oauth-basic@github.com/owner/name.git` },
  ],
  openai: (text) => [
    `sk-${text(ALNUM, 20)}T3Blbk${'FJ'}${text(ALNUM, 20)}`,
    ...['proj', 'svcacct', 'admin'].map((kind) => `sk-${kind}-${text(ALNUM, 74)}T3Blbk${'FJ'}${text(ALNUM, 74)}`),
  ],
  privatekey: (text) => ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH '].map((kind) => pem(text, kind)),
  sendgrid: (text) => [`SG${'.'}${text(ALNUM, 22)}.${text(ALNUM, 43)}`],
  shopify: (text) =>
    ['at', 'ca', 'pa', 'ss'].flatMap((kind) => [32, 38].map((length) => `shp${kind}_${text(ALNUM, length)}`)),
  slack: (text) => [
    ...['xoxb', 'xoxp', 'xoxo'].map((kind) => `${kind}-${text(DIGITS, 12)}-${text(DIGITS, 12)}-${text(ALNUM, 24)}`),
    `xoxa${'-'}2-${text(DIGITS, 12)}-${text(DIGITS, 12)}-${text(DIGITS, 12)}-${text(HEX, 32)}`,
    `xoxr${'-'}${text(DIGITS, 12)}-${text(DIGITS, 12)}-${text(ALNUM, 24)}`,
    `xapp${'-'}1-A${text(UPPER, 10)}-${text(DIGITS, 13)}-${text(HEX, 64)}`,
    `https://hooks.${'slack'}.com/services/T${text(UPPER, 8)}/B${text(UPPER, 10)}/${text(ALNUM, 24)}`,
  ],
  stripe: (text) =>
    ['sk_live', 'sk_test', 'rk_live', 'rk_test'].flatMap((kind) =>
      [24, 99].map((length) => `${kind}_${text(ALNUM, length)}`),
    ),
  tailscale: (text) =>
    ['api', 'auth', 'client', 'scim', 'webhook'].map(
      (kind) => `tskey${'-'}${kind}-${text(ALNUM, 12)}-${text(ALNUM, 32)}`,
    ),
  vercel: (text) =>
    ['vcp', 'vci', 'vca', 'vcr', 'vck'].flatMap((kind) => [24, 56].map((length) => `${kind}_${text(ALNUM, length)}`)),
}

/** What the kept set finds and Lodeline leaves as it is, and why. Each is still found there: one that is not has to go from this list. */
const LEFT_OUT: { why: string; rule: string; make: (text: Text) => string | Sample }[] = [
  {
    why: 'words joined by dashes are a placeholder, not a token of Slack: that begins with digits',
    rule: 'slack',
    make: () => `xoxb${'-'}your-token-goes-here`,
  },
  {
    why: "Slack's own example of a webhook",
    rule: 'slack',
    make: () => `https://hooks.${'slack'}.com/services/T00000000/B00000000/${'X'.repeat(24)}`,
  },
  {
    why: 'a token of npm or GitHub has no underscore; names of variables have',
    rule: 'npm',
    make: () => `npm${'_'}config_registry_of_this_very_machine`,
  },
  {
    why: 'a token of Linear has no underscore; names of functions have',
    rule: 'linear',
    make: () => `lin${'_'}api_client_of_the_issue_tracker_page`,
  },
  {
    why: 'AWS documents no such spelling of the name, and each start costs a search',
    rule: 'aws',
    make: (text) => `aws_secretaccesskey=${text(ALNUM, 40)}`,
  },
  {
    why: 'forty hexadecimal digits are a commit too, and GitHub has made no such token since 2021',
    rule: 'npm',
    make: (text) => ({
      file: 'package.json',
      text: `https://${text(HEX, 40)}:x-oauth-basic@github.com/owner/name.git`,
    }),
  },
  {
    why: 'a short word after `_authToken=` is a placeholder',
    rule: 'npm',
    make: () => ({ file: '.npmrc', text: '//registry.example.com/:_authToken=token\n' }),
  },
  {
    why: 'a password that repeats the user is an example, or the one that everybody tries first',
    rule: 'basicauth',
    make: () => `https://${'guest'}:guest@files.internal.net/`,
  },
  {
    why: 'a name for a password is none, also where it says whose',
    rule: 'database-connection-string',
    make: () => `postgres://${'app'}:your-password@db.internal/app`,
  },
  {
    why: 'brackets, quotes and backslashes end a URL in JSON and in code, where they are not written `%5B`',
    rule: 'database-connection-string',
    make: (text) => `postgres://${'app'}:${text(ALNUM, 6)}[1]@db.internal/app`,
  },
]

const samples = new SampleSecrets(1_117)
const text: Text = (characters, length) => samples.text(characters, length)
const sampleOf = (made: string | Sample): Required<Sample> =>
  typeof made === 'string' ? { text: made, file: 'notes.txt' } : { file: 'notes.txt', ...made }
const around = (file: string, content: string) =>
  file === 'notes.txt' ? `It says:\n${content}\nand goes on.` : content
const mask = secretMask()
/** Rules of the kept set that find whatever stands at a name, so a mask there too. */
const BY_NAME = ['npm']

/** Asserts that ours covers each find of the kept set, and that masks hide all of it. */
async function expectCovered(file: string, content: string): Promise<string[]> {
  const finds = await keptFinds(content, file)
  const ours = findSecrets(Buffer.from(content, 'latin1'))
  const missed = finds.filter(({ from, to }) => !ours.some((span) => span.from < to && from < span.to))
  expect(missed.map(({ rule, from, to }) => [rule, content.slice(from, to)])).toEqual([])
  const masked = mask.text(content)
  const left = (await keptFinds(masked, file)).map(({ rule, from, to }) => [rule, masked.slice(from, to)] as const)
  expect(left.filter(([rule, found]) => !BY_NAME.includes(rule) || !found.includes('[secret: '))).toEqual([])
  return finds.map(({ rule }) => rule)
}

describe('what the kept set finds is found and masked', () => {
  for (const { meta } of kept) {
    const rule = meta.id.replace(PREFIX, '')
    if (rule === NO_FORM) continue
    test(`by its rule ${rule}, in each documented form`, async () => {
      const made = DOCUMENTED[rule]
      // A new rule of the set needs samples here, and maybe a rule of ours.
      expect([rule, made !== undefined]).toEqual([rule, true])
      for (let round = 0; round < 20; round++)
        for (const { file, text: content } of (made?.(text) ?? []).map(sampleOf))
          expect(await expectCovered(file, around(file, content))).toContain(rule)
    })
  }

  test('in a secret of each rule of ours', async () => {
    for (const rule of SECRET_RULE_NAMES)
      for (const file of ['notes.txt', '.npmrc', 'package.json'])
        await expectCovered(file, `a ${BEFORE[rule] ?? ''}${samples.of(rule)}${AFTER[rule] ?? ''} b`)
  })

  test('and what is left out is on a list', async () => {
    for (const { rule, make, why } of LEFT_OUT) {
      const { file, text: content } = sampleOf(make(text))
      const finds = await keptFinds(around(file, content), file)
      expect([why, finds.some((one) => one.rule === rule)]).toEqual([why, true])
      expect([why, findSecrets(Buffer.from(around(file, content)))]).toEqual([why, []])
    }
  })
})

/** The kept set looks for the first bytes of a key's DER. */
function pem(text: Text, kind: string): string {
  const first = kind === 'OPENSSH ' ? 'b3BlbnNzaC1rZXktdjEAAAAA' : 'MIIEvgIBADANBgkqhkiG9w0B'
  const lines = Array.from({ length: 6 }, () => text(`${ALNUM}+/`, 64))
  return [
    `-----BEGIN ${kind}PRIVATE KEY-----`,
    first + text(ALNUM, 40),
    ...lines,
    `-----END ${kind}PRIVATE KEY-----`,
    '',
  ].join('\n')
}

/** Base64 of JSON whose last byte stands alone. */
function account(text: Text): string {
  const secret = {
    email: `${text(LOWER, 13)}@1passwordserviceaccounts.lcl`,
    secretKey: `A3-${text(UPPER, 30)}`,
    srpX: text(HEX, 64),
  }
  const { length } = JSON.stringify({ ...secret, pad: '' })
  return Buffer.from(JSON.stringify({ ...secret, pad: '0'.repeat((4 - (length % 3)) % 3) })).toString('base64')
}
