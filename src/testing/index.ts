/** For tests of programs that use Turnwise: providers that answer by a script. */

export { bytesOf, framesOf } from './fake-frames.ts'
export { type Fake, type FakeOptions, startFake } from './fake-provider.ts'
export type { RecordedRequest } from './fake-request.ts'
export type { FakeFault, FakeFlavour, FakePart, FakeStop, FakeUsage, FakeWire, Script } from './fake-script.ts'
export type { Asked } from './providers/dialect.ts'
export { faultsOf } from './providers/model-name.ts'
export type { FakeModel } from './providers/ollama-models.ts'
export { calls, type ScriptedProvider, type ScriptedReply, says, scriptedProvider } from './scripted.ts'
export {
  FAKE_CHAT,
  type FakeTelegram,
  type ShownEntity,
  type ShownMessage,
  startFakeTelegram,
  type TelegramCall,
  type TelegramFault,
} from './telegram/fake-telegram.ts'
