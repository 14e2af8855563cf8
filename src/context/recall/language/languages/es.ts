/** Spanish, as recall needs it. */
import { languageFrom, type TextLanguage } from './language.ts'

export const spanish: TextLanguage = languageFrom({
  code: 'es',
  stopWords: `
    el la los las lo un una unos unas al del este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas
    algo alguien algún alguna algunos algunas ningún ninguna nada nadie todo toda todos todas cada otro otra otros otras mismo misma mismos
    mismas tal tales mucho mucha muchos muchas poco poca pocos pocas más menos muy tan tanto tanta demasiado bastante varios varias
    yo me mí mi mis mío mía míos mías conmigo tú te ti tu tus tuyo tuya contigo él ella ello le se sí su sus suyo suya nosotros nosotras nos
    nuestro nuestra nuestros nuestras vosotros os vuestro vuestra ustedes usted ellos ellas les
    qué que quién quien quiénes quienes cuál cual cuáles cuales cuándo cuando dónde donde adónde cómo como cuánto cuánta cuántos cuántas
    por porque para
    soy eres es somos sois son era eras éramos eran fui fue fuiste fuimos fueron sido ser será sería sea estoy estás está estamos están
    estaba estaban estuve estuvo estar he has ha hemos han había habías habían haber hay hubo haya tengo tienes tiene tenemos tienen tenía
    tener tuve tuvo hago hace hacen hacer hizo hice puedo puedes puede podemos pueden podía podría poder voy vas va vamos van iba ir debo
    debe deben debería quiero quieres quiere
    y e o u ni pero sino aunque si pues mientras ya
    a ante bajo con contra de desde durante en entre hacia hasta según sin sobre tras
    no nunca siempre jamás también tampoco sólo solo aquí ahí allí ahora entonces luego después antes todavía aún así casi quizás quizá
    bien mal gracias hola favor vale ok
  `,
  talkWords: `
    dije dijo dijiste dijimos dijeron dicho decir digo dice dices dicen decía di dime habla hablo hablas hablé habló hablaste hablamos
    hablaron hablado hablar hablaba hablábamos lista listar listas mensaje mensajes palabra palabras tema temas pregunta preguntas pregunté
    preguntó preguntar respuesta respuestas respondió chat charla charlas charlamos conté contó contar contaste cuéntame cita citar
    anteriormente nombra nombré
  `,
  talkBeginnings: 'mencion discut convers recuerd recorda recordé resum coment expli olvid repit repet',
  questionStarts: `
    qué | quién | quiénes | cuál | cuáles | cuándo | dónde | adónde | cómo | cuánto | cuánta | cuántos | cuántas | por qué |
    a qué | a quién | con quién | con qué | de qué | de quién | de dónde | en qué | en cuál | para qué | para quién |
    desde cuándo | hasta cuándo | sobre qué | hace cuánto | cada cuánto | he | hemos | has | había | fui | fue | era | dije |
    te dije | te conté | te acuerdas | te acordás | recuerdas | recuerda | se acuerda | recuérdame | me recuerdas |
    puedes recordarme | puedes decirme | me puedes decir | podrías decirme | podrías recordarme | dime | olvidé | se me olvidó |
    no recuerdo | no me acuerdo | resume | resúmeme | resumen | haz un resumen | hazme un resumen | puedes resumir | lista |
    enumera | haz una lista | hazme una lista | cita | nombra | la última vez | el otro día | repite | busca | encuentra | hubo
  `,
  openings: `
    hola | buenas | buenos días | buenas tardes | buenas noches | oye | hey | ok | vale | bueno | y | pero | pues | entonces |
    sí | no | ah | oh | eh | hm | hmm | gracias | por cierto | a propósito | por favor | perdón | perdona | disculpa | espera |
    una pregunta | otra pregunta | pregunta | ahora | también | a ver
  `,
  rules: `
    siempre | nunca | jamás | nunca más | de ahora en adelante | a partir de ahora | desde ahora | a partir de hoy | cada vez |
    en el futuro | en adelante | en lo sucesivo | asegúrate de | asegúrese de | no debes | no debe | no se debe |
    bajo ninguna circunstancia | en ningún caso | sin excepción | por defecto | recuerda que | ten en cuenta | no olvides |
    no uses | no utilices | evita | deja de | hasta nuevo aviso | por norma | como regla
  `,
  wishes: `
    prefiero | preferiría | me gusta | me gustan | me encanta | me encantan | no me gusta | no me gustan | odio | detesto |
    me gustaría | me encantaría | quiero | quisiera | deseo | queremos | preferimos | nos gustaría | mi favorito | mi favorita |
    mis favoritos | mis favoritas | mi … favorito | mi … favorita | mi preferencia | por favor … en el futuro |
    por favor … en adelante | por favor usa | por favor no | soy fan | soy alérgico | soy alérgica | me interesa |
    me interesan | me apasiona
  `,
  self: `
    yo | me | mí | mi | mis | mío | mía | míos | mías | conmigo | nosotros | nosotras | nos | nuestro | nuestra | nuestros |
    nuestras | soy | estoy | tengo | quiero | voy | fui | puedo | necesito | prefiero | creo | somos | estamos | tenemos | vivo
  `,
  calendar: {
    months: 'enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre|setiembre, octubre, noviembre, diciembre',
    shortMonths: 'ene, feb, mar, abr, may, jun, jul, ago, sept?, oct, nov, dic',
    before: 'en|de|desde|hasta|del|durante|pasado|este|mes de|ano|y|o|entre|antes de|despues de|para|finales de|principios de',
    between: 'de|del',
    ordinal: 'º|ro|o',
    weekdays: 'lunes, martes, miercoles, jueves, viernes, sabado, domingo',
    today: 'hoy|esta manana|esta tarde|esta noche',
    yesterday: 'ayer|anoche',
    dayBeforeYesterday: 'anteayer|antes de ayer|antier',
    last: {
      week: 'semana (?:pasada|anterior)|ultima semana',
      month: 'mes (?:pasado|anterior)|ultimo mes',
      year: '(?:del )?ano (?:pasado|anterior)|ultimo ano',
    },
    current: { week: 'esta semana', month: 'este mes', year: 'este ano' },
    units: { day: 'dias?', week: 'semanas?', month: 'mes(?:es)?', year: 'anos?' },
    ago: 'hace {n} {u}|{n} {u} atras',
    numbers: 'un[oa]?, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce',
  },
})
