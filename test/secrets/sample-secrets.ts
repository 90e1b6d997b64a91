import type { SecretRuleName } from '../../src/domain/secrets/rules'

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const ALNUM = LOWER + UPPER + DIGITS
const WORD = `${ALNUM}_`
const HEX = '0123456789abcdef'
const BASE32 = `${UPPER}234567`
const BASE64 = `${ALNUM}+/`

/** Makes texts of secrets. They are made up at run time, so that no scanner of repositories takes a test for a leak. */
export class SampleSecrets {
  #state: number

  constructor(seed = 1) {
    this.#state = seed
  }

  #below(most: number): number {
    // A linear congruence is enough: nothing depends on how good it is.
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * most)
  }

  text(characters: string, length: number): string {
    return Array.from({ length }, () => characters[this.#below(characters.length)]).join('')
  }

  /** A secret of this rule: all of it is what a mask has to cover. */
  of(rule: SecretRuleName): string {
    return MAKE[rule]((characters, length) => this.text(characters, length))
  }
}

type Make = (characters: string, length: number) => string

const pem = (make: Make): string =>
  [
    '-----BEGIN RSA PRIVATE KEY-----',
    ...Array.from({ length: 8 }, () => make(BASE64, 64)),
    `${make(BASE64, 30)}==`,
    '-----END RSA PRIVATE KEY-----',
  ].join('\n')

const webToken = (make: Make): string => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: make(DIGITS, 10) })}.${make(WORD, 43)}`
}

/** The key of a 1Password service account: base64 of JSON, as long as ends with a padded brace. */
const serviceAccount = (make: Make): string => {
  const value = (pad: string) =>
    JSON.stringify({ email: `${make(LOWER, 13)}@example.com`, secretKey: make(UPPER, 60), pad })
  const text = value('')
  return Buffer.from(text.replace('"pad":""', `"pad":"${'x'.repeat((4 - (text.length % 3)) % 3)}"`)).toString('base64')
}

const MAKE: Record<SecretRuleName, (make: Make) => string> = {
  'anthropic-key': (make) => `sk-ant-${'api03'}-${make(WORD, 93)}AA`,
  'openai-key': (make) => `sk-${'proj'}-${make(WORD, 60)}`,
  'openrouter-key': (make) => `sk-${'or'}-v1-${make(HEX, 64)}`,
  'groq-key': (make) => `gsk${'_'}${make(ALNUM, 52)}`,
  'xai-key': (make) => `xai${'-'}${make(ALNUM, 80)}`,
  'perplexity-key': (make) => `pplx${'-'}${make(ALNUM, 48)}`,
  'huggingface-token': (make) => `hf${'_'}${make(LOWER + UPPER, 34)}`,
  'replicate-token': (make) => `r8${'_'}${make(ALNUM, 37)}`,
  'github-token': (make) => `ghp${'_'}${make(ALNUM, 36)}`,
  'gitlab-token': (make) => `glpat${'-'}${make(ALNUM, 20)}`,
  'aws-access-key': (make) => `AK${'IA'}${make(BASE32, 16)}`,
  'aws-secret-key': (make) => make(BASE64, 40),
  'azure-storage-key': (make) => `${make(BASE64, 86)}==`,
  'google-api-key': (make) => `AI${'za'}${make(WORD, 35)}`,
  'google-secret': (make) => `GOCSPX${'-'}${make(WORD, 28)}`,
  'google-token': (make) => `ya29${'.'}${make(WORD, 60)}`,
  'slack-token': (make) => `xoxb${'-'}${make(DIGITS, 12)}-${make(DIGITS, 12)}-${make(ALNUM, 24)}`,
  'slack-webhook': (make) => `T${make(UPPER, 9)}/B${make(UPPER, 9)}/${make(ALNUM, 24)}`,
  'stripe-key': (make) => `sk_${'live'}_${make(ALNUM, 24)}`,
  'npm-token': (make) => `npm${'_'}${make(ALNUM, 36)}`,
  'pypi-token': (make) => `pypi${'-'}AgEIcHlwaS5vcmc${make(WORD, 80)}`,
  'rubygems-key': (make) => `rubygems${'_'}${make(HEX, 48)}`,
  'docker-token': (make) => `dckr${'_'}pat_${make(WORD, 27)}`,
  'digitalocean-token': (make) => `dop${'_'}v1_${make(HEX, 64)}`,
  'sendgrid-key': (make) => `SG${'.'}${make(WORD, 22)}.${make(WORD, 43)}`,
  'shopify-token': (make) => `shpat${'_'}${make(HEX, 32)}`,
  'linear-key': (make) => `lin${'_'}api_${make(ALNUM, 40)}`,
  'notion-token': (make) => `ntn${'_'}${make(ALNUM, 46)}`,
  'figma-token': (make) => `figd${'_'}${make(WORD, 40)}`,
  'grafana-token': (make) => `glsa${'_'}${make(ALNUM, 32)}_${make(HEX, 8)}`,
  'databricks-token': (make) => `da${'pi'}${make(HEX, 32)}`,
  'vault-token': (make) => `hvs${'.'}${make(WORD, 90)}`,
  'pulumi-token': (make) => `pul${'-'}${make(HEX, 40)}`,
  'planetscale-token': (make) => `pscale${'_'}tkn_${make(WORD, 43)}`,
  'supabase-token': (make) => `sbp${'_'}${make(HEX, 40)}`,
  'atlassian-token': (make) => `ATATT${'3'}${make(WORD, 180)}=${make(`${DIGITS}ABCDEF`, 8)}`,
  'age-key': (make) => `AGE-SECRET${'-'}KEY-1${make('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
  'web-token': webToken,
  'private-key': pem,
  'npmrc-token': (make) => `${make(HEX, 8)}-${make(HEX, 4)}-4${make(HEX, 3)}-a${make(HEX, 3)}-${make(HEX, 12)}`,
  'onepassword-token': (make) => `ops${'_'}${serviceAccount(make)}`,
  'vercel-token': (make) => `vcp${'_'}${make(ALNUM, 56)}`,
  'cloudflare-token': (make) => `cfut${'_'}${make(ALNUM, 40)}${make(HEX, 8)}`,
  'tailscale-key': (make) => `tskey${'-'}auth-${make(ALNUM, 12)}-${make(ALNUM, 32)}`,
  'url-password': (make) => `${make(ALNUM, 8)}!${make(ALNUM, 8)}`,
}

/** What has to stand before a secret of some rules, for it to be one. */
export const BEFORE: Partial<Record<SecretRuleName, string>> = {
  'aws-secret-key': 'aws_secret_access_key = ',
  'azure-storage-key': 'DefaultEndpointsProtocol=https;AccountKey=',
  'slack-webhook': `https://hooks.${'slack'}.com/services/`,
  'npmrc-token': '//registry.example.com/:_authToken=',
  'url-password': 'postgres://lode:',
}

/** What has to stand behind it. */
export const AFTER: Partial<Record<SecretRuleName, string>> = {
  'url-password': '@db.internal/lode',
}
