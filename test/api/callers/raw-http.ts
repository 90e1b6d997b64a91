import { connect } from 'node:net'

/** Sends bytes as they are and gives what came back until the server closed or `isEnough` of it came. */
export function rawHttp(port: number, text: string, isEnough: (answer: string) => boolean = hasHead): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (isEnough(answer)) socket.destroy()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

const hasHead = (answer: string) => answer.includes('\r\n\r\n')

export const statusOfAnswer = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
