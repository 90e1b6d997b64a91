import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { AFTER, BEFORE, SampleSecrets } from '../../../test/secrets/sample-secrets'
import { findSecrets } from './find-secrets'
import { maskOf, secretIdOf, secretMask } from './mask'
import { SECRET_RULE_NAMES } from './rules'

const mask = secretMask()

/** What may stand right before a secret. */
const LEFT = ['', ' ', '"', '=', ': ', '\n', '\t', '`', '(', 'Bearer ', '-', '\u001b[31m', 'https://x:', '%3D', '\\n']
const RIGHT = ['', ' ', '"', '\n', '`', ')', '.', ',', ';', '\u001b[0m', '@host', '\\n', ' and more words']

test('a secret of each rule is found as that rule, and all of it', () => {
  const samples = new SampleSecrets()
  for (const rule of SECRET_RULE_NAMES) {
    const secret = samples.of(rule)
    const bytes = Buffer.from(`before ${BEFORE[rule] ?? ''}${secret}${AFTER[rule] ?? ' after'}`)
    const found = findSecrets(bytes).map(({ rule, from, to }) => [rule, bytes.toString('utf8', from, to)])
    expect(found).toEqual([[rule, secret]])
  }
})

test('a secret is masked wherever it stands, as text, in JSON, and in JSON within JSON', () => {
  const rule = fc.constantFrom(...SECRET_RULE_NAMES)
  const around = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(
      rule,
      fc.nat(),
      around,
      around,
      fc.constantFrom(...LEFT),
      fc.constantFrom(...RIGHT),
      (rule, seed, before, after, left, right) => {
        const secret = new SampleSecrets(seed).of(rule)
        const text = `${before} ${BEFORE[rule] === undefined ? left : BEFORE[rule]}${secret}${AFTER[rule] ?? right} ${after}`
        const inJson = JSON.stringify({ text, list: [text] })
        for (const whole of [text, inJson, JSON.stringify({ inJson })]) {
          const masked = mask.text(whole)
          const longest = secret.split('\n').sort((a, b) => b.length - a.length)[0] as string
          expect(masked).not.toContain(longest)
          expect(masked).toContain(maskOf(rule))
        }
        expect(JSON.parse(mask.text(inJson)).text).toContain(maskOf(rule))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('any JSON is JSON of the same form after it was masked', () => {
  const samples = new SampleSecrets(7)
  const secrets = SECRET_RULE_NAMES.map((rule) => (BEFORE[rule] ?? '') + samples.of(rule) + (AFTER[rule] ?? ''))
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(...secrets, '\\', '"', '\n', '\\"'),
  )
  fc.assert(
    fc.property(
      fc.array(
        fc.array(piece).map((parts) => parts.join('')),
        { maxLength: 8 },
      ),
      (texts) => {
        expect(JSON.parse(mask.text(JSON.stringify(texts)))).toBeArrayOfSize(texts.length)
      },
    ),
    { numRuns: 500 },
  )
})

test('a private key is found as tools show it: with numbers of lines, as a diff, indented', () => {
  const lines = new SampleSecrets(3).of('private-key').split('\n')
  const shown = {
    numbers: lines.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`),
    arrows: lines.map((line, at) => `${String(at + 1).padStart(6)}→${line}`),
    diff: lines.map((line) => `+${line}`),
    indented: lines.map((line) => `    ${line}`),
  }
  for (const each of Object.values(shown)) {
    const text = `${each.join('\n')}\nand so on`
    for (const whole of [text, JSON.stringify(text)]) {
      const masked = mask.text(whole)
      for (const line of lines.slice(1, -1)) expect(masked).not.toContain(line)
      expect(masked).toContain('and so on')
    }
  }
})

test('words, IDs, hashes and examples of documents are no secrets', () => {
  const plain = [
    'the header is -----BEGIN PRIVATE KEY----- and then base64 follows',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA',
    `AKIA${'IOSFODNN7'}EXAMPLE`,
    'toolu_01AbCdEfGhIjKlMnOpQrStUv',
    crypto.randomUUID(),
    new Bun.CryptoHasher('sha256').update('x').digest('hex'),
    `sha512-${new Bun.CryptoHasher('sha512').update('x').digest('base64')}`,
    'sk-ant-your-key-here',
    'sk-learn-contrib-some-long-package-name-that-is-a-word',
    'xoxb-your-token-goes-here-please',
    'glue-some-words-that-are-joined-by-dashes',
    'npm_config_registry_of_this_very_machine_x',
    'github_pat_is_the_prefix',
    'ghp_and_gho_are_prefixes_of_github',
    'https://example.com/a/very/long/path/that-goes-on/and_on/and-on.html',
    'eyJhbGciOiJIUzI1NiJ9',
    'hf_hub_download_with_a_long_function_name',
    'aws_secret_access_key = process.env.SECRET_ACCESS_KEY_OF_PRODUCTION',
    `//registry.npmjs.org/:_authToken=${'$'}{NPM_TOKEN_OF_THE_REGISTRY_2}`,
    '//registry.npmjs.org/:_authToken=your-token-goes-here',
    `https://hooks.${'slack'}.com/services/T00000000/B00000000/${'X'.repeat(24)}`,
    'vcr_recordings_of_every_test_1',
    'ops_everything_that_is_run_2',
  ]
  for (const text of plain) expect([text, findSecrets(Buffer.from(text))]).toEqual([text, []])
})

/** Parts of URLs. Put together at run time, since a scanner takes some of them for a leak. */
const urlOf = (scheme: string, login: string, rest: string): string => `${scheme}://${login}@${rest}`

test('the password of a URL is found, and nothing else of it', () => {
  const password = new SampleSecrets(13).of('url-password')
  const urls = [
    ['postgres', 'lode:', 'db.internal:5432/lode?sslmode=require'],
    ['postgresql', 'lode:', 'localhost/lode'],
    ['postgres', 'lode@server-1:', 'server-1.postgres.database.azure.com'],
    ['jdbc:mysql', 'root:', '127.0.0.1:3306'],
    ['mongodb+srv', 'app:', 'cluster0.abcde.mongodb.net/?w=majority'],
    ['redis', ':', 'cache:6379/0'],
    ['amqp', 'jobs:', '[::1]'],
    ['https', 'bob:', 'git.example.com/a.git'],
  ] as const
  for (const [scheme, user, rest] of urls) {
    const text = `DATABASE_URL="${urlOf(scheme, user + password, rest)}"`
    expect(mask.text(text)).toBe(text.replace(password, maskOf('url-password')))
    expect(mask.text(mask.text(text))).toBe(mask.text(text))
  }
})

test('a URL without a password, with a name for one or with a variable has none', () => {
  const logins = ['user:password', 'me:YOUR_PASSWORD', 'me:db-pass', 'admin:admin', 'postgres:postgres', 'a:xxxxxxxx']
  const templates = [
    'me:$PGPASSWORD',
    'me:$password',
    'me:$(cat file)',
    `me:${'$'}{PW}`,
    'me:{{ password }}',
    'me:<secret>',
  ]
  const others = [
    'me:%PASSWORD%',
    'me:%(password)s',
    'me:%s',
    'me:***',
    'me:******',
    'me:…',
    'me:...',
    'me',
    'me:',
    ':',
  ]
  for (const login of [...logins, ...templates, ...others])
    for (const [scheme, host] of [
      ['postgres', 'db.internal/x'],
      ['https', 'example.com'],
    ] as const)
      expect([login, findSecrets(Buffer.from(urlOf(scheme, login, host)))]).toEqual([login, []])
  const plain = [
    'https://localhost:8080/@vite/client',
    'git+ssh://git@github.com:22/owner/name.git',
    'http://me:hunter2x@localhost:3000/',
    'https://example.com/a:b12345@c.d',
    'see https://example.com:8443 or write to me@example.com',
    'http://example.com:8080?mail=me@example.com',
    '"http://127.0.0.1:4000","me@example.com"',
    '://me:hunter2x@host',
  ]
  for (const text of plain) expect([text, findSecrets(Buffer.from(text))]).toEqual([text, []])
})

test('what a person excepts is left as it is: a rule, or one secret', () => {
  const samples = new SampleSecrets(11)
  const [one, other] = [samples.of('github-token'), samples.of('github-token')]
  const text = `${one} ${other}`
  const byRule = secretMask({ detect: true, ignore: ['github-token'] })
  expect(byRule.text(text)).toBe(text)
  const byId = secretMask({ detect: true, ignore: [secretIdOf('github-token', Buffer.from(one))] })
  expect(byId.text(text)).toBe(`${one} ${maskOf('github-token')}`)
})

test('the guide names every rule', async () => {
  const guide = await Bun.file(join(import.meta.dir, '../../../docs/guide/security/secrets.md')).text()
  for (const rule of SECRET_RULE_NAMES) expect(guide).toContain(`\`${rule}\``)
})

test('nothing is looked for when that is switched off', () => {
  const text = new SampleSecrets(5).of('github-token')
  expect(secretMask({ detect: false, ignore: [] }).text(text)).toBe(text)
})

test('hostile texts take time in proportion to their length', () => {
  const pieces = [
    'eyJhbGciOiJIUzI1NiJ9-',
    '--eyJhbGciOiJIUzI1NiJ9',
    'ghp_',
    'sk-ant-',
    'sk-',
    'sk-proj-',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\\n',
    '-----BEGIN RSA ',
    'AccountKey=',
    'aws_secret_access_key=',
    '-',
    '\\',
    'a',
    'SG.',
    'a.',
    'eyJ.',
    'ya29.',
    'MIIEpAIBAAKCAQEA\\n  12\\t',
    '\\u',
    '[3',
    '%',
    'hooks.slack.com/services/TAAAAAA/',
    '://',
    'a://a:aaaa@',
    'http://a:aaaa@a',
    `a://${'a'.repeat(300)}:${'a$'.repeat(100)}@`,
    `http://a:aaaab@${'a'.repeat(256)}`,
    'a://a@a@a@',
    ':aaaa',
    '_authToken=',
    'ops_eyJ',
    `${'A'.repeat(64)}\n`,
  ]
  const start = '-----BEGIN PRIVATE KEY-----\n'
  const took = (text: string): number => {
    const bytes = Buffer.from(text)
    const began = process.cpuUsage()
    findSecrets(bytes)
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1_000
  }
  for (const piece of pieces)
    for (const head of ['', start]) {
      const ms = took(head + piece.repeat(Math.ceil(10_000_000 / piece.length)))
      // A square would take minutes. Ten seconds leave room for a machine that is slow or busy.
      expect([piece, ms < 10_000]).toEqual([piece, true])
    }
})
