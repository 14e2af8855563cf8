// A client generated from the live OpenAPI document compiles, and talks to the gateway.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTS from 'openapi-typescript'
import { startGateway } from '../../support/gateway.ts'
import { temporary } from './child.ts'
import { clientOf } from './client.ts'

const run = promisify(execFile)
const CLONE = fileURLToPath(new URL('../../../', import.meta.url))
const PROGRAM = fileURLToPath(new URL('./generated-client/program.ts', import.meta.url))

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom'],
    types: ['node'],
    skipLibCheck: true,
  },
  files: ['program.ts'],
}

test('a generated client compiles against the live document, and what it was told is so', async t => {
  const { url } = await startGateway(t, { inMemory: true })
  const document = await clientOf(url).json(200, 'GET', '/openapi.json')
  const folder = temporary(t)
  symlinkSync(join(CLONE, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'api.ts'), await openapiTS(document))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const program = join(folder, 'program.ts')
  copyFileSync(PROGRAM, program)
  const tsc = join(CLONE, 'node_modules', 'typescript', 'bin', 'tsc')
  await assert.doesNotReject(run(process.execPath, [tsc, '-p', folder]))
  const { stdout } = await run(process.execPath, [program, url])
  const told = JSON.parse(stdout)
  assert.match(told.answer, /\S/)
  assert.match(told.content, /\S/)
  assert.deepEqual(
    { ...told, answer: '', content: '' },
    {
      title: 'From a generated client',
      types: ['message.received', 'turn.started', 'context.planned', 'reply.finished', 'turn.ended'],
      answer: '',
      window: 32_000,
      content: '',
      status: 404,
      fault: 'not-found',
    },
  )
})
