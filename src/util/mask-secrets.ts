const MASK = '[masked]'

/** Forms that only secrets have; each is replaced as a whole. */
const TOKENS: RegExp[] = [
  // Keys of known services: Anthropic and OpenAI, GitHub, GitLab, Slack, AWS, Google.
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\b(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_-]{16,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  // A JSON web token.
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  // An installation's own token: 32 random bytes in hex.
  /\b[0-9a-f]{64,}\b/gi,
  // Random base64: long, with digits and both cases. Ids (uuid, `toolu_…`) and paths are shorter or lack one of them.
  /(?<![A-Za-z0-9_+-])(?=[A-Za-z0-9_+-]*[0-9])(?=[A-Za-z0-9_+-]*[a-z])(?=[A-Za-z0-9_+-]*[A-Z])[A-Za-z0-9_+-]{40,}={0,2}/g,
]

/** Forms where what comes before the secret stays: it says what it was. */
const AFTER: RegExp[] = [
  /\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi,
  /((?:api[-_]?key|access[-_]?key|token|secret|password|passwd|authorization|cookie)["']?\s*[=:]\s*["']?)(?!\[masked\])(?:(?:bearer|basic)\s+)?[^\s"'&,;}]{4,}/gi,
  // The password in `scheme://user:password@host`.
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}(?=@)/gi,
]

/** Names of fields whose whole value is a secret. Counts of tokens (`inputTokens`) are none. */
const SECRET_NAME =
  /^(.*[-_])?(api[-_]?key|access[-_]?key|secret|password|passwd|authorization|cookie|credentials?|token)$/i
const SECRET_NAME_CAMEL = /(ApiKey|AccessKey|Secret|Password|Token)$/

/**
 * Replaces what looks like a bearer token, an API key or a password by `[masked]`.
 *
 * A guard against accidents, not a proof: a secret in plain words passes. Takes time proportional to the text's length.
 */
export function maskSecrets(text: string): string {
  let masked = text
  for (const pattern of AFTER) masked = masked.replace(pattern, `$1${MASK}`)
  for (const pattern of TOKENS) masked = masked.replace(pattern, MASK)
  return masked
}

/** True for a field name whose value must not be written at all, for example `authorization` or `accessToken`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) || SECRET_NAME_CAMEL.test(name)
}
