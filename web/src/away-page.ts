/** Milliseconds after which it looks again whether the server answers. */
const AGAIN_MS = 3_000

/**
 * What an installed dashboard shows while its server does not answer. As soon as it does, the page that was asked for is loaded.
 *
 * @param host  the server's name and port, as an address has them
 */
export function awayPage(host: string): Response {
  const nonce = crypto.randomUUID()
  return new Response(
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not reachable · Lodeline</title>
<style nonce="${nonce}">
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1.5rem; box-sizing: border-box;
    font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#24231f, #e7e6e3); background: light-dark(#f7f6f3, #15161a) }
  main { max-width: 30rem }
  h1 { font-size: 1.25rem }
  p { color: light-dark(#55534c, #b3b2ae) }
  code { overflow-wrap: anywhere }
</style>
<main>
<h1>Lodeline does not answer</h1>
<p>Nothing answers at <code>${host}</code>: its server is stopped, or this device has no way to it.</p>
<p>On the server's machine, <code>lode up</code> starts it. This page looks every ${AGAIN_MS / 1_000} seconds, and comes back by itself. It shows
nothing meanwhile, since what it showed before may be old.</p>
</main>
<script nonce="${nonce}">
  setInterval(() => fetch('/app.webmanifest', { method: 'HEAD', cache: 'no-store' }).then(() => location.reload(), () => {}), ${AGAIN_MS})
</script>
</html>
`,
    {
      status: 503,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; connect-src 'self'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-ancestors 'none'`,
        'cache-control': 'no-store',
      },
    },
  )
}
