/** How connections to PostgreSQL are protected: by what the URL says, against a real server, and before a hostile one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open'
import { protect } from '../../../src/store/postgres/postgres-tls'
import { type PostgresServer, startPostgres } from '../../postgres'
import { failureOf } from '../databases'

let folder: string
let server: PostgresServer
beforeAll(async () => {
  folder = mkdtempSync('/tmp/ld-tls-')
  server = await startPostgres({ fsync: false, certificate: makeCertificate('own', 'IP:127.0.0.1') })
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A certificate that signs itself. */
function makeCertificate(name: string, altName: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const made = Bun.spawnSync([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=${altName}`, '-keyout', key, '-out', cert],
  ])
  if (!made.success) throw new Error(made.stderr.toString())
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

const modeOf = (url: string) => new URL(protect(url).url).searchParams.get('sslmode')

test('beyond this machine a URL that says nothing means verify-full; on it, and over a socket, nothing changes', () => {
  for (const host of ['db.example', '10.0.0.7', '[2001:db8::1]', '127.0.0.1.evil.example', 'localhost.evil.example'])
    expect([host, modeOf(`postgres://u:p@${host}/d`)]).toEqual([host, 'verify-full'])
  for (const host of ['127.0.0.1:5432', 'localhost', '[::1]', '127.8.9.1', ''])
    expect([host, modeOf(`postgres://${host === '' ? '' : `u:p@${host}`}/d`)]).toEqual([host, 'disable'])
  expect(modeOf('postgres:///d?host=/run/postgresql')).toBe('disable')
  // The host that counts is the one that is connected to.
  expect(modeOf('postgres://u:p@127.0.0.1/d?host=db.example')).toBe('verify-full')
  expect(modeOf('postgres://u:p@db.example/d?sslmode=require')).toBe('require')
})

test('no password goes where others can read it, and a mode that anybody in between could undo is refused', () => {
  for (const url of [
    'postgres://u:p@db.example/d?sslmode=disable',
    'postgres://u@db.example/d?sslmode=disable&password=p',
    'postgres://u:p@db.example/d?sslmode=prefer',
    'postgres://u:p@127.0.0.1/d?sslmode=allow',
    'postgres://u:p@db.example/d?sslrootcert=/nowhere/ca.pem',
    'postgres://[/d',
  ])
    expect([url, codeOf(() => protect(url))]).toEqual([url, 'invalid'])
  expect(codeOf(() => protect('postgres://u@db.example/d?sslmode=disable'))).toBe('none')
})

const codeOf = (act: () => unknown): string => {
  try {
    act()
    return 'none'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a server proves its name by a certificate that the named file signs, or is not spoken to', async () => {
  const open = (query: string) => openStore({ url: `${server.url}?${query}`, mode: 'read-write', migrate: true })
  const store = await open(`sslmode=verify-full&sslrootcert=${join(folder, 'own.crt')}`)
  expect(await store.audit.head()).toEqual({ number: 0, hash: '' })
  await store.close()
  // Nobody vouches for it; somebody else does.
  expect((await failureOf(open('sslmode=verify-full'))).code).toBe('unavailable')
  makeCertificate('other', 'IP:127.0.0.1')
  expect((await failureOf(open(`sslmode=verify-full&sslrootcert=${join(folder, 'other.crt')}`))).code).toBe(
    'unavailable',
  )
})

test('a server with another name is not spoken to', async () => {
  const named = await startPostgres({ fsync: false, certificate: makeCertificate('named', 'DNS:db.example') })
  try {
    const url = `${named.url}?sslmode=verify-full&sslrootcert=${join(folder, 'named.crt')}`
    expect((await failureOf(openStore({ url, mode: 'read-write', migrate: true }))).code).toBe('unavailable')
  } finally {
    await named.stop()
  }
})

test('who answers that it speaks no TLS is told neither user nor password', async () => {
  const heard: Buffer[] = []
  using listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, bytes) {
        heard.push(Buffer.from(bytes))
        // `N`: no TLS. Then, to whatever comes: AuthenticationCleartextPassword.
        if (heard.length === 1) socket.write('N')
        else socket.write(new Uint8Array([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
      },
    },
  })
  for (const mode of ['require', 'verify-full']) {
    heard.length = 0
    const url = `postgres://secretuser:secretword@127.0.0.1:${listener.port}/d?sslmode=${mode}`
    expect((await failureOf(openStore({ url, mode: 'read-write' }))).code).toBe('unavailable')
    const all = Buffer.concat(heard).toString('latin1')
    expect([mode, heard.length > 0, all.includes('secretuser'), all.includes('secretword')]).toEqual([
      mode,
      true,
      false,
      false,
    ])
  }
})
