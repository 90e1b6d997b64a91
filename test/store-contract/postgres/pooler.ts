/**
 * A pooler in transaction mode, as PgBouncer is one: each transaction of a client gets any free session, so nothing that a client leaves in
 * a session is there in its next transaction. It reports what would be left.
 */
import { connect, createServer, type Socket } from 'node:net'

export interface Pooler extends AsyncDisposable {
  readonly port: number
  /** What clients did that a pooler of transactions can't bear, in its words. */
  readonly refused: string[]
  /** Transactions that got another session than their client's last one. */
  moved(): number
}

const PROTOCOL = 196_608
const SSL_REQUEST = 80_877_103
/** Parameters of a start that PgBouncer hands on. */
const KNOWN = ['user', 'database', 'application_name', 'client_encoding', 'DateStyle', 'TimeZone']
/** What would stay in the session after the transaction. */
const LEAVES =
  /^\s*(listen|unlisten|set\s+(?!local)|reset|prepare|deallocate|declare\b.*with hold|create temp|select\s+pg_advisory_lock)/i

interface Session {
  socket: Socket
  /** Answers that the client still waits for. */
  due: number
  client: Client | null
}
interface Client {
  socket: Socket
  session: Session | null
  last: Session | null
  held: Buffer[]
}

/** @param sessions  how many there are */
export async function startPooler(url: URL, sessions: number): Promise<Pooler> {
  const refused: string[] = []
  const all: Session[] = []
  const waiting: Client[] = []
  const clients = new Set<Client>()
  let moved = 0
  for (let n = 0; n < sessions; n++) all.push(await openSession(url, (session, bytes) => take(session, bytes)))

  function take(session: Session, message: Buffer): void {
    session.client?.socket.write(message)
    if (message[0] !== READY) return
    session.due--
    if (session.due > 0 || message[5] !== IDLE) return
    if (session.client !== null) session.client.session = null
    session.client = null
    const next = waiting.shift()
    if (next !== undefined) pair(next)
  }

  function pair(client: Client): void {
    const free = all.filter((session) => session.client === null)
    // Another one than last time, where there is one.
    const session = free.find((each) => each !== client.last) ?? free[0]
    if (session === undefined) {
      if (!waiting.includes(client)) waiting.push(client)
      return
    }
    if (client.last !== null && client.last !== session) moved++
    client.session = session
    client.last = session
    session.client = client
    for (const message of client.held.splice(0)) send(session, message)
  }

  function send(session: Session, message: Buffer): void {
    if (message[0] === QUERY || message[0] === SYNC) session.due++
    session.socket.write(message)
  }

  const server = createServer((socket) => {
    const client: Client = { socket, session: null, last: null, held: [] }
    clients.add(client)
    let isStarted = false
    const read = messages(
      () => isStarted,
      (message) => {
        if (!isStarted) {
          const code = message.readInt32BE(4)
          if (code === SSL_REQUEST) return void socket.write('N')
          if (code !== PROTOCOL) return void socket.destroy()
          const words = message.subarray(8).toString('utf8').split('\0')
          const wrong = words.find((word, at) => at % 2 === 0 && word !== '' && !KNOWN.includes(word))
          if (wrong !== undefined) return void socket.end(failure(`unsupported startup parameter: ${wrong}`))
          isStarted = true
          socket.write(WELCOME)
          return
        }
        if (message[0] === TERMINATE) return void socket.end()
        const text = message.subarray(5).toString('utf8')
        if (message[0] === PARSE && message[5] !== 0) refused.push(`named statement ${text.split('\0')[0]}`)
        const statement = message[0] === PARSE ? (text.split('\0')[1] ?? '') : message[0] === QUERY ? text : ''
        for (const part of statement.split(';')) if (LEAVES.test(part)) refused.push(part.trim())
        if (client.session !== null) return send(client.session, message)
        client.held.push(message)
        pair(client)
      },
    )
    socket.on('data', read)
    socket.on('error', () => {})
    socket.on('close', () => {
      clients.delete(client)
      if (waiting.includes(client)) waiting.splice(waiting.indexOf(client), 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the pooler has no port')
  return {
    port: address.port,
    refused,
    moved: () => moved,
    async [Symbol.asyncDispose]() {
      for (const { socket } of clients) socket.destroy()
      for (const { socket } of all) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const [QUERY, PARSE, SYNC, TERMINATE, READY, IDLE] = ['Q', 'P', 'S', 'X', 'Z', 'I'].map((letter) =>
  letter.charCodeAt(0),
)

/** One of the server's sessions, logged in. */
async function openSession(url: URL, take: (session: Session, message: Buffer) => void): Promise<Session> {
  const socket = connect(Number(url.port), url.hostname)
  const session: Session = { socket, due: 0, client: null }
  const ready = Promise.withResolvers<void>()
  let isReady = false
  const read = messages(
    () => true,
    (message) => {
      if (isReady) return take(session, message)
      if (message[0] === READY) {
        isReady = true
        ready.resolve()
      }
    },
  )
  socket.on('data', read)
  socket.on('error', ready.reject)
  const words = ['user', url.username, 'database', url.pathname.slice(1), ''].map((word) => `${word}\0`).join('')
  const body = Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(words)])
  socket.write(Buffer.concat([int32(body.length + 4), body]))
  await ready.promise
  return session
}

/** Cuts what comes into messages: a letter and a length, or at the start a length alone. */
function messages(hasLetter: () => boolean, heard: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const at = hasLetter() ? 1 : 0
      if (rest.length < at + 4) return
      const length = at + rest.readInt32BE(at)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      heard(message)
    }
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const message = (letter: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(letter), int32(body.length + 4), body])

const failure = (text: string): Buffer => message('E', Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`))

const WELCOME = Buffer.concat([
  message('R', int32(0)),
  message('S', Buffer.from('server_version\x0015.0\0')),
  message('S', Buffer.from('client_encoding\0UTF8\0')),
  message('Z', Buffer.from('I')),
])
