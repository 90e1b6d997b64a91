import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { BEFORE, SampleSecrets } from '../../../test/secrets/sample-secrets'
import { findCutSecrets } from './cut-secrets'
import { maskOf, secretMask } from './mask'
import { SECRET_RULE_NAMES, SECRET_RULES, type SecretRuleName } from './rules'

const mask = secretMask()
const BEFORE_IT = 'Some words before it, as in any conversation:'
/** Characters of a half that may be seen. */
const MAY_SHOW = 4

/** What of the secret is chosen by chance: its form alone says nothing. */
function chanceOf(rule: SecretRuleName, secret: string): number {
  const fixed: Partial<Record<SecretRuleName, string>> = {
    'anthropic-key': 'sk-ant-api03-',
    'openai-key': 'sk-proj-',
    'openrouter-key': 'sk-or-v1-',
    'gitlab-token': 'glpat-',
    'slack-token': 'xoxb-',
    'slack-webhook': secret.slice(0, secret.lastIndexOf('/') + 1),
    'pypi-token': 'pypi-AgEIcHlwaS5vcmc',
    'docker-token': 'dckr_pat_',
    'planetscale-token': 'pscale_tkn_',
    'tailscale-key': 'tskey-auth-',
    'private-key': '-----BEGIN RSA PRIVATE KEY-----\n',
  }
  const starts = (SECRET_RULES[rule].starts as readonly string[]).filter((start) => secret.startsWith(start))
  return (fixed[rule] ?? starts[0] ?? '').length
}

test('whatever a cut leaves of a secret is masked, at the end of a text, in JSON, and before an ellipsis', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SECRET_RULE_NAMES),
      fc.nat(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (rule, seed, share) => {
        const secret = new SampleSecrets(seed).of(rule)
        const chance = chanceOf(rule, secret)
        const length = chance + MAY_SHOW + 1 + Math.floor(share * (secret.length - chance - MAY_SHOW - 2))
        const half = secret.slice(0, length)
        // Few letters are of one case by chance.
        fc.pre(/\d|[a-z].*[A-Z]|[A-Z].*[a-z]/s.test(half.slice(chance)))
        const text = `${BEFORE_IT} ${BEFORE[rule] ?? ''}${half}`
        for (const whole of [
          text,
          `${text}… (12 more)`,
          JSON.stringify({ text, next: 1 }),
          JSON.stringify([JSON.stringify({ text })]),
        ]) {
          const masked = mask.text(whole)
          for (const line of half.slice(chance).split('\n'))
            if (line.length > MAY_SHOW && !line.startsWith('-'))
              expect([rule, masked]).toEqual([rule, expect.not.stringContaining(line)])
          expect(masked).toContain(maskOf(rule))
          expect(masked).toContain(BEFORE_IT)
        }
        expect(JSON.parse(mask.text(JSON.stringify({ text, next: 1 })))).toMatchObject({ next: 1 })
      },
    ),
    { numRuns: 1_000 },
  )
})

test('words that begin like a secret stay, and so does what is no end', () => {
  for (const text of [
    'This is about the program sk-learn and its friends',
    'It is served at http://localhost:8080',
    'It is served, as the settings say, at https://HOST:PORT',
    'Write it as postgres://user:password',
    'The variable to set for all of them is npm_config_cache',
    'All of that is explained below in the glossary of globalThis',
    'a certificate begins with -----BEGIN CERTIFICATE-----\nMIIEvQ',
    'The token ghp_Ab12Cd34Ef is too short to be one, and is not at the end',
    'ghp_Ab12Cd34Ef',
  ])
    expect([mask.text(text), mask.text(JSON.stringify({ text }))]).toEqual([text, JSON.stringify({ text })])
})

test('in our own documents and code nothing is taken for half a secret', () => {
  const root = join(import.meta.dir, '../../..')
  const wrong: string[] = []
  for (const folder of ['docs', 'src', 'web/src'])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(md|tsx?)$/.test(name) || name.includes('domain/secrets/')) continue
      const text = readFileSync(join(root, folder, name), 'utf8')
      for (const line of [text, ...text.split('\n')])
        for (const { from, to } of findCutSecrets(line)) wrong.push(`${name}: ${line.slice(from, to).slice(0, 100)}`)
    }
  expect(wrong).toEqual([])
})

test('hostile ends take time in proportion to the length of the text', () => {
  const took = (text: string): number => {
    const began = process.cpuUsage()
    findCutSecrets(text)
    const { user } = process.cpuUsage(began)
    return user / 1_000
  }
  for (const piece of [
    'eyJ.',
    'sk-',
    'glpat-',
    'xoxb-1',
    'AKIA',
    '://a:',
    'AccountKey=',
    '-----BEGIN PRIVATE KEY-----\n',
    'a',
  ])
    for (const end of ['"', '…', '.…', '\\"'])
      for (const repeated of [
        piece.repeat(400_000 / piece.length),
        (piece.repeat(200 / piece.length) + end).repeat(2_000),
      ])
        expect([piece, end, took(repeated + end) < 1_000]).toEqual([piece, end, true])
})
