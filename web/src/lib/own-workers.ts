/** The files of ours that may become workers. The bundler says the name of the second, which has a hash. */
const OWN = { service: '/service-worker.js', code: process.env.CODE_WORKER ?? '/assets/code-worker.js' }

interface Policy {
  createScriptURL(path: string): unknown
}
let policy: Policy | undefined

/** The address of one of our workers, as a browser takes it that wants to know where scripts come from (trusted types). */
export function workerUrl(name: keyof typeof OWN): string {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): unknown } }).trustedTypes
  if (types === undefined) return OWN[name]
  // It makes an address of a name, so there is no way to have another one made.
  policy ??= types.createPolicy('own-workers', { createScriptURL: (one: keyof typeof OWN) => OWN[one] }) as Policy
  // The DOM's types know texts alone here.
  return policy.createScriptURL(name) as string
}
