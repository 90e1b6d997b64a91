/**
 * The forms of secrets that Lodeline knows. A rule is here only if its issuer documents a form that nothing else has: a rule that guesses
 * would mask ordinary words of a conversation.
 */

/** A form of secret. Texts are looked at as they stand in a file, so that a line break may be written `\n`. */
export interface SecretRule {
  /** Where it begins: one of these stands at the start of `form`. */
  starts: readonly string[]
  /**
   * The whole secret from its start; a group, if there is one, holds the secret alone. Nothing that can fail follows a repetition without
   * bounds, so that each try costs limited time.
   */
  form: RegExp
  /**
   * What a cut leaves of it, from its start to the end of the text; a group, if there is one, holds what is masked. Default: the start, and
   * letters and digits that look chosen by chance.
   */
  cut?: RegExp
  /**
   * How starts are found. `word`: the secret is a word of at least `MIN_WORD` letters, digits, `-` and `_`. `dotted`: its first part,
   * of at most `MAX_HEAD` characters, ends with a dot, and such a word follows. `text`: a search for each start. `url`: where `://` is
   * followed by a user and a password.
   */
  found: 'word' | 'dotted' | 'text' | 'url'
  /**
   * What stands right before and right behind a secret that a person may have chosen. It may be short, or an ordinary word: it is the
   * secret there alone, and none of its characters is shown.
   */
  between?: readonly [before: string, behind: string]
}

/** Characters that a word of a secret has at least. */
export const MIN_WORD = 20
/** Characters before the dot of a `dotted` secret, at most. */
export const MAX_HEAD = 12
/** What every rule that is found by `url` starts with. */
export const URL_START = '://'

const word = (starts: string, form: RegExp, cut?: RegExp): SecretRule => ({
  starts: starts.split(' '),
  form,
  found: 'word',
  ...(cut && { cut }),
})
const dotted = (starts: string, form: RegExp): SecretRule => ({ starts: starts.split(' '), form, found: 'dotted' })
const text = (starts: readonly string[], form: RegExp, cut: RegExp): SecretRule => ({
  starts,
  form,
  found: 'text',
  cut,
})
const url = (form: RegExp, cut: RegExp, between: readonly [string, string]): SecretRule => ({
  starts: [URL_START],
  form,
  found: 'url',
  cut,
  between,
})

/** Signs that a user and a password in a URL may have. A mask, an erased secret, quotes and most templates have others. */
export const LOGIN_SIGNS = '!#$%&()*+,.:;=^_|~-'
const USER = `[A-Za-z0-9@${LOGIN_SIGNS.replace(':', '')}]`
const PASSWORD = `[A-Za-z0-9${LOGIN_SIGNS}]`
/** Names that examples write where a password goes. */
const PASSWORD_NAME =
  '(?i:(?:(?:my|your|the|db|some)[-_]?)?(?:password|passwd|pass|pwd|secret|token)|user(?:name)?|root|admin|localhost|' +
  'replace_with_password|x-oauth-basic)'
/** Variables of shells, of Windows and of Python. */
const VARIABLE = String.raw`(?:\$[a-z(]|${PASSWORD}{0,200}(?:\$[A-Z_]|%[A-Z_]{1,30}%|%\())`

/**
 * A user and a password in a URL, where the password is none of: a name for one, a variable, the user once more, one character again and
 * again, fewer than four characters.
 *
 * @param first  the number of its first group
 */
const login = (first: number): string =>
  `://(?!(${USER}{1,100}):\\${first}@)${USER}{0,100}:` +
  `(?!${PASSWORD_NAME}@|(.)\\${first + 1}{3,}@|${VARIABLE})(${PASSWORD}{4,200})`

/** A host of HTTP and FTP has a dot: what examples reach on the own machine has none. */
const URL_PASSWORD = new RegExp(
  `(?<=\\b(?:http|ftp)s?)${login(1)}(?=@[A-Za-z0-9%._+~#=-]{1,256}\\.[A-Za-z0-9])|` +
    `(?<=[A-Za-z0-9])(?<!\\b(?:http|ftp)s?)${login(4)}(?=@[A-Za-z0-9_%[])`,
  'y',
)

/** The end of a URL that may be a password: no port, and no name or variable for one. */
const CUT_PASSWORD = new RegExp(
  `://${USER}{0,100}:(?!\\d{1,5}$|(?i:port)$|${PASSWORD_NAME}$|${VARIABLE})(${PASSWORD}{1,200})$`,
  'y',
)

/** A line break as it stands in a file, or written in JSON, also in JSON within JSON. */
const BREAK = String.raw`(?:[\r\n]|\\{1,16}[rn])`
/** What a tool puts before each line: spaces, a sign of a diff, the number of the line and a tab or an arrow (in UTF-8). */
const MARGIN = String.raw`[ +-]?[ \t]{0,40}(?:\d{1,6}(?:\t|\\{1,16}t|\xe2\x86\x92|[:|] ?))?[ \t]{0,40}`
const NEXT_LINE = `(?:${BREAK}{1,4}${MARGIN})`

/** A private key of PEM or PGP. Words about such a key are none: a line of its base64 must follow the header. */
const KEY_HEADER =
  '-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----' +
  `(?:${NEXT_LINE}(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\\r\\n\\\\"]{0,200}){0,8}`
const PRIVATE_KEY = new RegExp(
  KEY_HEADER +
    `(?:${NEXT_LINE}| )[A-Za-z0-9+/=]{20,}` +
    `(?:(?:${NEXT_LINE}| (?=[A-Za-z0-9+/]{40}))[A-Za-z0-9+/=]+)*` +
    `(?:(?:${NEXT_LINE}| )?-----END [A-Z0-9 ]{1,60}-----)?`,
  'y',
)

const CUT_KEY = new RegExp(`${KEY_HEADER}(?:${NEXT_LINE}| )[A-Za-z0-9+/=]{1,19}$`, 'y')

/** Between a name and its value: quotes, which may be escaped, and `=`, `=>` or `:`. */
const IS = String.raw`\\{0,8}["']?\s{0,4}(?:=>?|:)\s{0,4}\\{0,8}["']?`

/** The rules by the name that a mask shows. */
export const SECRET_RULES = {
  'anthropic-key': word('sk-ant-', /sk-ant-[A-Za-z0-9_-]{32,}/y),
  'openai-key': word('sk-', /sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{48}(?![A-Za-z0-9_-]))/y),
  'openrouter-key': word('sk-or-', /sk-or-v1-[0-9a-f]{64}/y),
  'groq-key': word('gsk_', /gsk_[A-Za-z0-9]{52}/y),
  'xai-key': word('xai-', /xai-[A-Za-z0-9]{80}/y),
  'perplexity-key': word('pplx-', /pplx-[A-Za-z0-9]{48}/y),
  'huggingface-token': word('hf_', /hf_[A-Za-z]{34}(?![A-Za-z0-9_])/y),
  'replicate-token': word('r8_', /r8_[A-Za-z0-9]{37}(?![A-Za-z0-9_])/y),
  'github-token': word(
    'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_',
    /(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,}|ghs_\d{1,20}_eyJ[\w-]{10,4096}\.eyJ[\w-]{10,8192}\.[\w-]{16,})/y,
  ),
  'gitlab-token': word(
    'gl',
    /gl(?:pat|ptt|rt|dt|ft|soat|agent|oas|cbt|imt|ffct)-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?/y,
    /gl(?:pat|ptt|rt|dt|ft|soat|agent|oas|cbt|imt|ffct)-[A-Za-z0-9_-]{5,}$/y,
  ),
  'aws-access-key': word(
    'AKIA ASIA',
    /(?:AKIA|ASIA)(?![A-Z2-7]{9}EXAMPLE)[A-Z2-7]{16}(?![A-Za-z0-9_-])/y,
    /(?:AKIA|ASIA)[A-Z2-7]{5,15}$/y,
  ),
  'aws-secret-key': text(
    ['ecret_access_key', 'ECRET_ACCESS_KEY', 'ecretAccessKey'],
    new RegExp(
      `ecret(?:_access_key|AccessKey)${IS}((?![A-Za-z0-9/+]{33}EXAMPLE)[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])|` +
        `ECRET_ACCESS_KEY${IS}((?![A-Za-z0-9/+]{33}EXAMPLE)[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`,
      'y',
    ),
    new RegExp(
      `ecret(?:_access_key|AccessKey)${IS}([A-Za-z0-9/+]{5,39})$|ECRET_ACCESS_KEY${IS}([A-Za-z0-9/+]{5,39})$`,
      'y',
    ),
  ),
  'azure-storage-key': text(
    ['AccountKey='],
    /AccountKey=([A-Za-z0-9+/]{86}==)/y,
    /AccountKey=([A-Za-z0-9+/]{5,86}=?)$/y,
  ),
  'google-api-key': word('AIza', /AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y),
  'google-secret': word('GOCSPX-', /GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])/y),
  'google-token': dotted('ya29.', /ya29\.[A-Za-z0-9_-]{40,}/y),
  'slack-token': word(
    'xox xapp-',
    /(?:xox[abeoprs]-(?:\d-)?[0-9]{6,}-[A-Za-z0-9-]{16,}|xox[ep]-\d-[A-Za-z0-9]{40,}|xapp-\d-[A-Z0-9]{8,}-\d{8,}-[a-f0-9]{40,})/y,
    /(?:xox[abeoprs]|xapp)-\d[A-Za-z0-9-]{4,}$/y,
  ),
  'slack-webhook': text(
    ['hooks.slack.com/services/'],
    /hooks\.slack\.com\/services\/(T[A-Z0-9]{6,20}\/B[A-Z0-9]{6,20}\/(?!X{20})[A-Za-z0-9]{20,})/y,
    /hooks\.slack\.com\/services\/(T[A-Z0-9]{6,20}\/B[A-Z0-9]{6,20}\/(?!X+$)[A-Za-z0-9]{1,19})$/y,
  ),
  'stripe-key': word(
    'sk_live_ sk_test_ rk_live_ rk_test_ whsec_',
    /(?:[sr]k_(?:live|test)_[A-Za-z0-9]{20,}|whsec_[A-Za-z0-9]{32,})/y,
  ),
  'npm-token': word('npm_', /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])/y),
  'npmrc-token': text(
    ['_authToken='],
    /_authToken=\\{0,8}["']?((?=[A-Za-z+/=._-]{0,60}\d)[A-Za-z0-9+/=._-]{16,})/y,
    /_authToken=\\{0,8}["']?((?=[A-Za-z+/=._-]{0,60}\d)[A-Za-z0-9+/=._-]{5,15})$/y,
  ),
  'pypi-token': word('pypi-', /pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}/y),
  'rubygems-key': word('rubygems_', /rubygems_[a-f0-9]{48}/y),
  'docker-token': word('dckr_', /dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}/y),
  'digitalocean-token': word('dop_v1_ doo_v1_ dor_v1_', /do[por]_v1_[a-f0-9]{64}/y),
  'sendgrid-key': dotted('SG.', /SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/y),
  'shopify-token': word('shpat_ shpca_ shppa_ shpss_', /shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,}/y),
  'linear-key': word('lin_api_ lin_oauth_', /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/y),
  'notion-token': word('ntn_', /ntn_[A-Za-z0-9]{40,}/y),
  'figma-token': word('figd_', /figd_[A-Za-z0-9_-]{40,}/y),
  'grafana-token': word('glsa_ glc_', /(?:glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_eyJ[A-Za-z0-9+/]{29,}={0,2})/y),
  'databricks-token': word('dapi', /dapi[a-fA-F0-9]{32}(?:-\d)?(?![A-Za-z0-9_])/y),
  'vault-token': dotted('hvs. hvb. hvr.', /hv[sbr]\.[A-Za-z0-9_-]{24,}/y),
  'pulumi-token': word('pul-', /pul-[a-f0-9]{40}(?![A-Za-z0-9_])/y),
  'planetscale-token': word('pscale_', /pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_-]{32,}/y),
  'supabase-token': word('sbp_', /sbp_[a-f0-9]{40}/y),
  'atlassian-token': word('ATATT3', /ATATT3[A-Za-z0-9_-]{100,}(?:=[A-F0-9]{8})?/y),
  'onepassword-token': word('ops_', /ops_eyJ[A-Za-z0-9+/_-]{97,}={0,2}/y),
  'vercel-token': word('vcp_ vci_ vca_ vcr_ vck_', /vc[piark]_[A-Za-z0-9]{20,60}(?![A-Za-z0-9_])/y),
  'cloudflare-token': word('cfk_ cfut_ cfat_', /cf(?:k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}(?![A-Za-z0-9_])/y),
  'tailscale-key': word('tskey-', /tskey-[a-z]{2,20}-[A-Za-z0-9]{8,40}-[A-Za-z0-9]{16,}/y),
  'age-key': word('AGE-SECRET-KEY-1', /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/y),
  'web-token': word(
    'eyJ',
    /(?<![A-Za-z0-9_-]-)eyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{16,}/y,
  ),
  'private-key': text(['-----BEGIN '], PRIVATE_KEY, CUT_KEY),
  'url-password': url(URL_PASSWORD, CUT_PASSWORD, [':', '@']),
} as const satisfies Record<string, SecretRule>

export type SecretRuleName = keyof typeof SECRET_RULES
export const SECRET_RULE_NAMES = Object.keys(SECRET_RULES) as SecretRuleName[]

/** @see SecretRule.between */
export const secretBetween = (rule: SecretRuleName): readonly [before: string, behind: string] | null => {
  const { between }: SecretRule = SECRET_RULES[rule]
  return between ?? null
}

export const isSecretRule = (name: string): name is SecretRuleName => Object.hasOwn(SECRET_RULES, name)
