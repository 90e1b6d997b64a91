import { createServer, type Socket } from 'node:net'

/** What a mail server got. */
export interface GotMail {
  from: string
  to: string
  auth: string
  data: string
}

/** A mail server in the clear on loopback, as RFC 5321 has it, which takes one way of login: PLAIN (RFC 4616). */
export async function startSmtp(answer = '250 taken') {
  const mails: GotMail[] = []
  const server = createServer((socket) => serve(socket, mails, answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  return {
    mails,
    url: `smtp://ann@127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`,
    [Symbol.dispose]: () => void server.close(),
  }
}

function serve(socket: Socket, mails: GotMail[], answer: string): void {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let mail: GotMail = { from: '', to: '', auth: '', data: '' }
  let rest = ''
  let isData = false
  say('220 mail.example ready')
  socket.on('data', (bytes) => {
    rest += bytes.toString('utf8')
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 2)
      if (isData && line !== '.') mail.data += `${line.replace(/^\./, '')}\n`
      else if (isData) {
        isData = false
        mails.push(mail)
        mail = { from: '', to: '', auth: '', data: '' }
        say(answer)
      } else if (/^EHLO/i.test(line)) {
        say('250-mail.example')
        say('250 AUTH PLAIN')
      } else if (/^AUTH PLAIN /i.test(line)) {
        mail.auth = Buffer.from(line.slice(11), 'base64').toString('utf8')
        say('235 welcome')
      } else if (/^MAIL FROM:/i.test(line)) {
        mail.from = line.slice(10)
        say('250 ok')
      } else if (/^RCPT TO:/i.test(line)) {
        mail.to = line.slice(8)
        say('250 ok')
      } else if (/^DATA/i.test(line)) {
        isData = true
        say('354 go on')
      } else if (/^QUIT/i.test(line)) {
        say('221 bye')
        socket.end()
      } else say('250 ok')
    }
  })
  socket.on('error', () => socket.destroy())
}
