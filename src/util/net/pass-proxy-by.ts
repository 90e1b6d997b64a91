const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Lets this process's requests to `url` go past a proxy of the environment where they stay on this machine: a proxy knows nothing
 * of its loopback, and Bun's `fetch` asks it all the same.
 */
export function passProxyBy(url: string): void {
  if (!LOOPBACK.has(new URL(url).hostname)) return
  if (!Object.keys(process.env).some((name) => /^(?:https?|all)_proxy$/i.test(name))) return
  const listed = (process.env.NO_PROXY ?? process.env.no_proxy ?? '').split(',')
  process.env.NO_PROXY = [...new Set([...listed, '127.0.0.1', 'localhost', '::1'])].filter(Boolean).join(',')
}
