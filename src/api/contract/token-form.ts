/** How an installation's own token looks: 32 bytes in hex. Tokens that a server gives out begin with letters and `_`. */
const OPERATOR_TOKEN = /^[0-9a-f]{64}$/

export const isOperatorToken = (text: string): boolean => OPERATOR_TOKEN.test(text)
