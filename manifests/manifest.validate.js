// SPDX-License-Identifier: Apache-2.0
// Made by scripts/compile-schemas.ts: do not edit.
"use strict";
export const validateCapability = validate10;
const schema11 = {"$schema":"http://json-schema.org/draft-07/schema#","title":"Capability","type":"object","required":["id","name","description","category","parameters","returns"],"properties":{"id":{"type":"string","pattern":"^[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)+$","description":"Dot-separated capability identifier. E.g., 'mail.search', 'editor.save'."},"name":{"type":"string","description":"Human-readable capability name."},"description":{"type":"string","description":"What this capability does."},"category":{"type":"string","enum":["APP_MANAGEMENT","SURFACE_MANAGEMENT","ELEMENT_INTERACTION","TEXT_INPUT","TEXT_QUERY","NAVIGATION","STATE_QUERY","SYSTEM","MEDIA_PLAYBACK","COMMUNICATION","FILE_OPERATION","HARDWARE"],"description":"Intent category from the taxonomy."},"parameters":{"type":"object","description":"JSON Schema describing accepted parameters. Use required/optional/default/type."},"returns":{"type":"object","description":"JSON Schema describing the return value."},"side_effects":{"type":"string","enum":["none","read","write","destructive","network","system"],"description":"What this capability does to the system. Used for permission checks."},"confirmation_required":{"type":"boolean","default":false,"description":"If true, requires user confirmation before execution."},"undo_window_ms":{"type":["integer","null"],"description":"If set, the action can be undone within this time window."},"version":{"type":"string","pattern":"^\\d+\\.\\d+$","default":"1.0","description":"Capability version. Used for compatibility."},"auth_level":{"type":"string","enum":["public","user","privileged","system"],"default":"user","description":"Minimum trust level required."}}};
const pattern0 = new RegExp("^[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)+$", "u");
const pattern1 = new RegExp("^\\d+\\.\\d+$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((data.id === undefined) && (missing0 = "id")) || ((data.name === undefined) && (missing0 = "name"))) || ((data.description === undefined) && (missing0 = "description"))) || ((data.category === undefined) && (missing0 = "category"))) || ((data.parameters === undefined) && (missing0 = "parameters"))) || ((data.returns === undefined) && (missing0 = "returns"))){
validate10.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.id !== undefined){
let data0 = data.id;
const _errs1 = errors;
if(errors === _errs1){
if(typeof data0 === "string"){
if(!pattern0.test(data0)){
validate10.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/pattern",keyword:"pattern",params:{pattern: "^[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)+$"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
const _errs3 = errors;
if(typeof data.name !== "string"){
validate10.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
const _errs5 = errors;
if(typeof data.description !== "string"){
validate10.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.category !== undefined){
let data3 = data.category;
const _errs7 = errors;
if(typeof data3 !== "string"){
validate10.errors = [{instancePath:instancePath+"/category",schemaPath:"#/properties/category/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((((((((((((data3 === "APP_MANAGEMENT") || (data3 === "SURFACE_MANAGEMENT")) || (data3 === "ELEMENT_INTERACTION")) || (data3 === "TEXT_INPUT")) || (data3 === "TEXT_QUERY")) || (data3 === "NAVIGATION")) || (data3 === "STATE_QUERY")) || (data3 === "SYSTEM")) || (data3 === "MEDIA_PLAYBACK")) || (data3 === "COMMUNICATION")) || (data3 === "FILE_OPERATION")) || (data3 === "HARDWARE"))){
validate10.errors = [{instancePath:instancePath+"/category",schemaPath:"#/properties/category/enum",keyword:"enum",params:{allowedValues: schema11.properties.category.enum}}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.parameters !== undefined){
let data4 = data.parameters;
const _errs9 = errors;
if(!(data4 && typeof data4 == "object" && !Array.isArray(data4))){
validate10.errors = [{instancePath:instancePath+"/parameters",schemaPath:"#/properties/parameters/type",keyword:"type",params:{type: "object"}}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.returns !== undefined){
let data5 = data.returns;
const _errs11 = errors;
if(!(data5 && typeof data5 == "object" && !Array.isArray(data5))){
validate10.errors = [{instancePath:instancePath+"/returns",schemaPath:"#/properties/returns/type",keyword:"type",params:{type: "object"}}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.side_effects !== undefined){
let data6 = data.side_effects;
const _errs13 = errors;
if(typeof data6 !== "string"){
validate10.errors = [{instancePath:instancePath+"/side_effects",schemaPath:"#/properties/side_effects/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((((((data6 === "none") || (data6 === "read")) || (data6 === "write")) || (data6 === "destructive")) || (data6 === "network")) || (data6 === "system"))){
validate10.errors = [{instancePath:instancePath+"/side_effects",schemaPath:"#/properties/side_effects/enum",keyword:"enum",params:{allowedValues: schema11.properties.side_effects.enum}}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.confirmation_required !== undefined){
const _errs15 = errors;
if(typeof data.confirmation_required !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/confirmation_required",schemaPath:"#/properties/confirmation_required/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.undo_window_ms !== undefined){
let data8 = data.undo_window_ms;
const _errs17 = errors;
if((!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))) && (data8 !== null)){
validate10.errors = [{instancePath:instancePath+"/undo_window_ms",schemaPath:"#/properties/undo_window_ms/type",keyword:"type",params:{type: schema11.properties.undo_window_ms.type}}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version !== undefined){
let data9 = data.version;
const _errs19 = errors;
if(errors === _errs19){
if(typeof data9 === "string"){
if(!pattern1.test(data9)){
validate10.errors = [{instancePath:instancePath+"/version",schemaPath:"#/properties/version/pattern",keyword:"pattern",params:{pattern: "^\\d+\\.\\d+$"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.auth_level !== undefined){
let data10 = data.auth_level;
const _errs21 = errors;
if(typeof data10 !== "string"){
validate10.errors = [{instancePath:instancePath+"/auth_level",schemaPath:"#/properties/auth_level/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((((data10 === "public") || (data10 === "user")) || (data10 === "privileged")) || (data10 === "system"))){
validate10.errors = [{instancePath:instancePath+"/auth_level",schemaPath:"#/properties/auth_level/enum",keyword:"enum",params:{allowedValues: schema11.properties.auth_level.enum}}];
return false;
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate10.errors = vErrors;
return errors === 0;
}

export const validateManifest = validate11;
const schema12 = {"$schema":"http://json-schema.org/draft-07/schema#","title":"CapabilityManifest","type":"object","required":["app_id","version","manifest_version","capabilities"],"properties":{"app_id":{"type":"string","description":"Application identifier matching desktop_id."},"version":{"type":"string","description":"Application version."},"manifest_version":{"type":"string","pattern":"^\\d+\\.\\d+$","default":"1.0","description":"Manifest schema version. Used for compatibility."},"capabilities":{"type":"array","items":{"$ref":"Capability"},"description":"All capabilities this app exposes."},"events":{"type":"array","items":{"type":"object","required":["event_type","description"],"properties":{"event_type":{"type":"string"},"description":{"type":"string"},"payload_schema":{"type":"object"}}},"description":"Custom events this app emits."},"signature":{"type":["string","null"],"description":"Ed25519 signature over the manifest content (excluding this field). Compositor verifies against the app's public key."}}};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.app_id === undefined) && (missing0 = "app_id")) || ((data.version === undefined) && (missing0 = "version"))) || ((data.manifest_version === undefined) && (missing0 = "manifest_version"))) || ((data.capabilities === undefined) && (missing0 = "capabilities"))){
validate11.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.app_id !== undefined){
const _errs1 = errors;
if(typeof data.app_id !== "string"){
validate11.errors = [{instancePath:instancePath+"/app_id",schemaPath:"#/properties/app_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version !== undefined){
const _errs3 = errors;
if(typeof data.version !== "string"){
validate11.errors = [{instancePath:instancePath+"/version",schemaPath:"#/properties/version/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.manifest_version !== undefined){
let data2 = data.manifest_version;
const _errs5 = errors;
if(errors === _errs5){
if(typeof data2 === "string"){
if(!pattern1.test(data2)){
validate11.errors = [{instancePath:instancePath+"/manifest_version",schemaPath:"#/properties/manifest_version/pattern",keyword:"pattern",params:{pattern: "^\\d+\\.\\d+$"}}];
return false;
}
}
else {
validate11.errors = [{instancePath:instancePath+"/manifest_version",schemaPath:"#/properties/manifest_version/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.capabilities !== undefined){
let data3 = data.capabilities;
const _errs7 = errors;
if(errors === _errs7){
if(Array.isArray(data3)){
var valid1 = true;
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
const _errs9 = errors;
const _errs10 = errors;
if(errors === _errs10){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
let missing1;
if(((((((data4.id === undefined) && (missing1 = "id")) || ((data4.name === undefined) && (missing1 = "name"))) || ((data4.description === undefined) && (missing1 = "description"))) || ((data4.category === undefined) && (missing1 = "category"))) || ((data4.parameters === undefined) && (missing1 = "parameters"))) || ((data4.returns === undefined) && (missing1 = "returns"))){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0,schemaPath:"Capability/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
if(data4.id !== undefined){
let data5 = data4.id;
const _errs12 = errors;
if(errors === _errs12){
if(typeof data5 === "string"){
if(!pattern0.test(data5)){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/id",schemaPath:"Capability/properties/id/pattern",keyword:"pattern",params:{pattern: "^[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)+$"}}];
return false;
}
}
else {
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/id",schemaPath:"Capability/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid3 = _errs12 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.name !== undefined){
const _errs14 = errors;
if(typeof data4.name !== "string"){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/name",schemaPath:"Capability/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid3 = _errs14 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.description !== undefined){
const _errs16 = errors;
if(typeof data4.description !== "string"){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/description",schemaPath:"Capability/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid3 = _errs16 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.category !== undefined){
let data8 = data4.category;
const _errs18 = errors;
if(typeof data8 !== "string"){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/category",schemaPath:"Capability/properties/category/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((((((((((((data8 === "APP_MANAGEMENT") || (data8 === "SURFACE_MANAGEMENT")) || (data8 === "ELEMENT_INTERACTION")) || (data8 === "TEXT_INPUT")) || (data8 === "TEXT_QUERY")) || (data8 === "NAVIGATION")) || (data8 === "STATE_QUERY")) || (data8 === "SYSTEM")) || (data8 === "MEDIA_PLAYBACK")) || (data8 === "COMMUNICATION")) || (data8 === "FILE_OPERATION")) || (data8 === "HARDWARE"))){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/category",schemaPath:"Capability/properties/category/enum",keyword:"enum",params:{allowedValues: schema11.properties.category.enum}}];
return false;
}
var valid3 = _errs18 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.parameters !== undefined){
let data9 = data4.parameters;
const _errs20 = errors;
if(!(data9 && typeof data9 == "object" && !Array.isArray(data9))){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/parameters",schemaPath:"Capability/properties/parameters/type",keyword:"type",params:{type: "object"}}];
return false;
}
var valid3 = _errs20 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.returns !== undefined){
let data10 = data4.returns;
const _errs22 = errors;
if(!(data10 && typeof data10 == "object" && !Array.isArray(data10))){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/returns",schemaPath:"Capability/properties/returns/type",keyword:"type",params:{type: "object"}}];
return false;
}
var valid3 = _errs22 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.side_effects !== undefined){
let data11 = data4.side_effects;
const _errs24 = errors;
if(typeof data11 !== "string"){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/side_effects",schemaPath:"Capability/properties/side_effects/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((((((data11 === "none") || (data11 === "read")) || (data11 === "write")) || (data11 === "destructive")) || (data11 === "network")) || (data11 === "system"))){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/side_effects",schemaPath:"Capability/properties/side_effects/enum",keyword:"enum",params:{allowedValues: schema11.properties.side_effects.enum}}];
return false;
}
var valid3 = _errs24 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.confirmation_required !== undefined){
const _errs26 = errors;
if(typeof data4.confirmation_required !== "boolean"){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/confirmation_required",schemaPath:"Capability/properties/confirmation_required/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid3 = _errs26 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.undo_window_ms !== undefined){
let data13 = data4.undo_window_ms;
const _errs28 = errors;
if((!(((typeof data13 == "number") && (!(data13 % 1) && !isNaN(data13))) && (isFinite(data13)))) && (data13 !== null)){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/undo_window_ms",schemaPath:"Capability/properties/undo_window_ms/type",keyword:"type",params:{type: schema11.properties.undo_window_ms.type}}];
return false;
}
var valid3 = _errs28 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.version !== undefined){
let data14 = data4.version;
const _errs30 = errors;
if(errors === _errs30){
if(typeof data14 === "string"){
if(!pattern1.test(data14)){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/version",schemaPath:"Capability/properties/version/pattern",keyword:"pattern",params:{pattern: "^\\d+\\.\\d+$"}}];
return false;
}
}
else {
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/version",schemaPath:"Capability/properties/version/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid3 = _errs30 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.auth_level !== undefined){
let data15 = data4.auth_level;
const _errs32 = errors;
if(typeof data15 !== "string"){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/auth_level",schemaPath:"Capability/properties/auth_level/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((((data15 === "public") || (data15 === "user")) || (data15 === "privileged")) || (data15 === "system"))){
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0+"/auth_level",schemaPath:"Capability/properties/auth_level/enum",keyword:"enum",params:{allowedValues: schema11.properties.auth_level.enum}}];
return false;
}
var valid3 = _errs32 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/capabilities/" + i0,schemaPath:"Capability/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid1 = _errs9 === errors;
if(!valid1){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/capabilities",schemaPath:"#/properties/capabilities/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.events !== undefined){
let data16 = data.events;
const _errs34 = errors;
if(errors === _errs34){
if(Array.isArray(data16)){
var valid4 = true;
const len1 = data16.length;
for(let i1=0; i1<len1; i1++){
let data17 = data16[i1];
const _errs36 = errors;
if(errors === _errs36){
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
let missing2;
if(((data17.event_type === undefined) && (missing2 = "event_type")) || ((data17.description === undefined) && (missing2 = "description"))){
validate11.errors = [{instancePath:instancePath+"/events/" + i1,schemaPath:"#/properties/events/items/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
if(data17.event_type !== undefined){
const _errs38 = errors;
if(typeof data17.event_type !== "string"){
validate11.errors = [{instancePath:instancePath+"/events/" + i1+"/event_type",schemaPath:"#/properties/events/items/properties/event_type/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid5 = _errs38 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data17.description !== undefined){
const _errs40 = errors;
if(typeof data17.description !== "string"){
validate11.errors = [{instancePath:instancePath+"/events/" + i1+"/description",schemaPath:"#/properties/events/items/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid5 = _errs40 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data17.payload_schema !== undefined){
let data20 = data17.payload_schema;
const _errs42 = errors;
if(!(data20 && typeof data20 == "object" && !Array.isArray(data20))){
validate11.errors = [{instancePath:instancePath+"/events/" + i1+"/payload_schema",schemaPath:"#/properties/events/items/properties/payload_schema/type",keyword:"type",params:{type: "object"}}];
return false;
}
var valid5 = _errs42 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/events/" + i1,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid4 = _errs36 === errors;
if(!valid4){
break;
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs34 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.signature !== undefined){
let data21 = data.signature;
const _errs44 = errors;
if((typeof data21 !== "string") && (data21 !== null)){
validate11.errors = [{instancePath:instancePath+"/signature",schemaPath:"#/properties/signature/type",keyword:"type",params:{type: schema12.properties.signature.type}}];
return false;
}
var valid0 = _errs44 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate11.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate11.errors = vErrors;
return errors === 0;
}

export const validateExtension = validate12;
const schema14 = {"$schema":"http://json-schema.org/draft-07/schema#","title":"ManifestExtension","$comment":"Every field this version knows, closed. Read beside the two published schemas, which state the types of the published fields.","type":"object","additionalProperties":false,"properties":{"app_id":true,"version":true,"manifest_version":true,"signature":true,"capabilities":{"type":"array","items":{"$ref":"#/definitions/capability"}},"events":{"type":"array","items":{"type":"object","additionalProperties":false,"properties":{"event_type":true,"description":true,"payload_schema":true}}},"revision":{"type":"integer","minimum":0,"maximum":9007199254740991},"activation":{"type":"string","enum":["dbus"]},"locales":{"$ref":"#/definitions/locales"}},"definitions":{"capability":{"type":"object","additionalProperties":false,"properties":{"id":true,"name":true,"description":true,"category":true,"parameters":true,"returns":true,"side_effects":true,"confirmation_required":true,"undo_window_ms":true,"version":true,"auth_level":true,"bounds":{"type":"object","additionalProperties":false,"properties":{"timeout_ms":{"type":"integer"},"max_result_bytes":{"type":"integer"},"max_invocations_per_turn":{"type":"integer"}}},"network":{"type":"string","enum":["external"]},"target":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["parameter","kind"],"properties":{"parameter":{"type":"string"},"kind":{"type":"string","enum":["path","url","unit","app","text"]}}}},"idempotent":{"type":"boolean"},"output_trust":{"type":"string","enum":["low","medium","high"]},"side_effects_note":{"type":"string"},"preview":{"type":"boolean"},"locales":{"$ref":"#/definitions/locales"}}},"locales":{"type":"object","additionalProperties":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string"},"description":{"type":"string"}}}}}};
const schema16 = {"type":"object","additionalProperties":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string"},"description":{"type":"string"}}}};
const func2 = Object.prototype.hasOwnProperty;
const schema15 = {"type":"object","additionalProperties":false,"properties":{"id":true,"name":true,"description":true,"category":true,"parameters":true,"returns":true,"side_effects":true,"confirmation_required":true,"undo_window_ms":true,"version":true,"auth_level":true,"bounds":{"type":"object","additionalProperties":false,"properties":{"timeout_ms":{"type":"integer"},"max_result_bytes":{"type":"integer"},"max_invocations_per_turn":{"type":"integer"}}},"network":{"type":"string","enum":["external"]},"target":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["parameter","kind"],"properties":{"parameter":{"type":"string"},"kind":{"type":"string","enum":["path","url","unit","app","text"]}}}},"idempotent":{"type":"boolean"},"output_trust":{"type":"string","enum":["low","medium","high"]},"side_effects_note":{"type":"string"},"preview":{"type":"boolean"},"locales":{"$ref":"#/definitions/locales"}}};

function validate13(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema15.properties, key0))){
validate13.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.bounds !== undefined){
let data0 = data.bounds;
const _errs2 = errors;
if(errors === _errs2){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
const _errs4 = errors;
for(const key1 in data0){
if(!(((key1 === "timeout_ms") || (key1 === "max_result_bytes")) || (key1 === "max_invocations_per_turn"))){
validate13.errors = [{instancePath:instancePath+"/bounds",schemaPath:"#/properties/bounds/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data0.timeout_ms !== undefined){
let data1 = data0.timeout_ms;
const _errs5 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate13.errors = [{instancePath:instancePath+"/bounds/timeout_ms",schemaPath:"#/properties/bounds/properties/timeout_ms/type",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.max_result_bytes !== undefined){
let data2 = data0.max_result_bytes;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate13.errors = [{instancePath:instancePath+"/bounds/max_result_bytes",schemaPath:"#/properties/bounds/properties/max_result_bytes/type",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.max_invocations_per_turn !== undefined){
let data3 = data0.max_invocations_per_turn;
const _errs9 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate13.errors = [{instancePath:instancePath+"/bounds/max_invocations_per_turn",schemaPath:"#/properties/bounds/properties/max_invocations_per_turn/type",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate13.errors = [{instancePath:instancePath+"/bounds",schemaPath:"#/properties/bounds/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.network !== undefined){
let data4 = data.network;
const _errs11 = errors;
if(typeof data4 !== "string"){
validate13.errors = [{instancePath:instancePath+"/network",schemaPath:"#/properties/network/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data4 === "external")){
validate13.errors = [{instancePath:instancePath+"/network",schemaPath:"#/properties/network/enum",keyword:"enum",params:{allowedValues: schema15.properties.network.enum}}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.target !== undefined){
let data5 = data.target;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data5)){
var valid2 = true;
const len0 = data5.length;
for(let i0=0; i0<len0; i0++){
let data6 = data5[i0];
const _errs15 = errors;
if(errors === _errs15){
if(data6 && typeof data6 == "object" && !Array.isArray(data6)){
let missing0;
if(((data6.parameter === undefined) && (missing0 = "parameter")) || ((data6.kind === undefined) && (missing0 = "kind"))){
validate13.errors = [{instancePath:instancePath+"/target/" + i0,schemaPath:"#/properties/target/items/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs17 = errors;
for(const key2 in data6){
if(!((key2 === "parameter") || (key2 === "kind"))){
validate13.errors = [{instancePath:instancePath+"/target/" + i0,schemaPath:"#/properties/target/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs17 === errors){
if(data6.parameter !== undefined){
const _errs18 = errors;
if(typeof data6.parameter !== "string"){
validate13.errors = [{instancePath:instancePath+"/target/" + i0+"/parameter",schemaPath:"#/properties/target/items/properties/parameter/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid3 = _errs18 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data6.kind !== undefined){
let data8 = data6.kind;
const _errs20 = errors;
if(typeof data8 !== "string"){
validate13.errors = [{instancePath:instancePath+"/target/" + i0+"/kind",schemaPath:"#/properties/target/items/properties/kind/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((((data8 === "path") || (data8 === "url")) || (data8 === "unit")) || (data8 === "app")) || (data8 === "text"))){
validate13.errors = [{instancePath:instancePath+"/target/" + i0+"/kind",schemaPath:"#/properties/target/items/properties/kind/enum",keyword:"enum",params:{allowedValues: schema15.properties.target.items.properties.kind.enum}}];
return false;
}
var valid3 = _errs20 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
else {
validate13.errors = [{instancePath:instancePath+"/target/" + i0,schemaPath:"#/properties/target/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
else {
validate13.errors = [{instancePath:instancePath+"/target",schemaPath:"#/properties/target/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idempotent !== undefined){
const _errs22 = errors;
if(typeof data.idempotent !== "boolean"){
validate13.errors = [{instancePath:instancePath+"/idempotent",schemaPath:"#/properties/idempotent/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.output_trust !== undefined){
let data10 = data.output_trust;
const _errs24 = errors;
if(typeof data10 !== "string"){
validate13.errors = [{instancePath:instancePath+"/output_trust",schemaPath:"#/properties/output_trust/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((data10 === "low") || (data10 === "medium")) || (data10 === "high"))){
validate13.errors = [{instancePath:instancePath+"/output_trust",schemaPath:"#/properties/output_trust/enum",keyword:"enum",params:{allowedValues: schema15.properties.output_trust.enum}}];
return false;
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.side_effects_note !== undefined){
const _errs26 = errors;
if(typeof data.side_effects_note !== "string"){
validate13.errors = [{instancePath:instancePath+"/side_effects_note",schemaPath:"#/properties/side_effects_note/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.preview !== undefined){
const _errs28 = errors;
if(typeof data.preview !== "boolean"){
validate13.errors = [{instancePath:instancePath+"/preview",schemaPath:"#/properties/preview/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.locales !== undefined){
let data13 = data.locales;
const _errs30 = errors;
const _errs31 = errors;
if(errors === _errs31){
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
for(const key3 in data13){
let data14 = data13[key3];
const _errs34 = errors;
if(errors === _errs34){
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
const _errs36 = errors;
for(const key4 in data14){
if(!((key4 === "name") || (key4 === "description"))){
validate13.errors = [{instancePath:instancePath+"/locales/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/locales/additionalProperties/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}}];
return false;
break;
}
}
if(_errs36 === errors){
if(data14.name !== undefined){
const _errs37 = errors;
if(typeof data14.name !== "string"){
validate13.errors = [{instancePath:instancePath+"/locales/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/name",schemaPath:"#/definitions/locales/additionalProperties/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid6 = _errs37 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data14.description !== undefined){
const _errs39 = errors;
if(typeof data14.description !== "string"){
validate13.errors = [{instancePath:instancePath+"/locales/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/description",schemaPath:"#/definitions/locales/additionalProperties/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid6 = _errs39 === errors;
}
else {
var valid6 = true;
}
}
}
}
else {
validate13.errors = [{instancePath:instancePath+"/locales/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/locales/additionalProperties/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs34 === errors;
if(!valid5){
break;
}
}
}
else {
validate13.errors = [{instancePath:instancePath+"/locales",schemaPath:"#/definitions/locales/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate13.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate13.errors = vErrors;
return errors === 0;
}


function validate12(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs2 = errors;
for(const key0 in data){
if(!(func2.call(schema14.properties, key0))){
validate12.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs2 === errors){
if(data.capabilities !== undefined){
let data0 = data.capabilities;
const _errs3 = errors;
if(errors === _errs3){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs5 = errors;
if(!(validate13(data0[i0], {instancePath:instancePath+"/capabilities/" + i0,parentData:data0,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
var valid1 = _errs5 === errors;
if(!valid1){
break;
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/capabilities",schemaPath:"#/properties/capabilities/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.events !== undefined){
let data2 = data.events;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
var valid2 = true;
const len1 = data2.length;
for(let i1=0; i1<len1; i1++){
let data3 = data2[i1];
const _errs8 = errors;
if(errors === _errs8){
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(((key1 === "event_type") || (key1 === "description")) || (key1 === "payload_schema"))){
validate12.errors = [{instancePath:instancePath+"/events/" + i1,schemaPath:"#/properties/events/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/events/" + i1,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid2 = _errs8 === errors;
if(!valid2){
break;
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.revision !== undefined){
let data4 = data.revision;
const _errs11 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate12.errors = [{instancePath:instancePath+"/revision",schemaPath:"#/properties/revision/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs11){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 9007199254740991 || isNaN(data4)){
validate12.errors = [{instancePath:instancePath+"/revision",schemaPath:"#/properties/revision/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data4 < 0 || isNaN(data4)){
validate12.errors = [{instancePath:instancePath+"/revision",schemaPath:"#/properties/revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.activation !== undefined){
let data5 = data.activation;
const _errs13 = errors;
if(typeof data5 !== "string"){
validate12.errors = [{instancePath:instancePath+"/activation",schemaPath:"#/properties/activation/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data5 === "dbus")){
validate12.errors = [{instancePath:instancePath+"/activation",schemaPath:"#/properties/activation/enum",keyword:"enum",params:{allowedValues: schema14.properties.activation.enum}}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.locales !== undefined){
let data6 = data.locales;
const _errs15 = errors;
const _errs16 = errors;
if(errors === _errs16){
if(data6 && typeof data6 == "object" && !Array.isArray(data6)){
for(const key2 in data6){
let data7 = data6[key2];
const _errs19 = errors;
if(errors === _errs19){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
const _errs21 = errors;
for(const key3 in data7){
if(!((key3 === "name") || (key3 === "description"))){
validate12.errors = [{instancePath:instancePath+"/locales/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/locales/additionalProperties/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}}];
return false;
break;
}
}
if(_errs21 === errors){
if(data7.name !== undefined){
const _errs22 = errors;
if(typeof data7.name !== "string"){
validate12.errors = [{instancePath:instancePath+"/locales/" + key2.replace(/~/g, "~0").replace(/\//g, "~1")+"/name",schemaPath:"#/definitions/locales/additionalProperties/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid5 = _errs22 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data7.description !== undefined){
const _errs24 = errors;
if(typeof data7.description !== "string"){
validate12.errors = [{instancePath:instancePath+"/locales/" + key2.replace(/~/g, "~0").replace(/\//g, "~1")+"/description",schemaPath:"#/definitions/locales/additionalProperties/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid5 = _errs24 === errors;
}
else {
var valid5 = true;
}
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/locales/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/locales/additionalProperties/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid4 = _errs19 === errors;
if(!valid4){
break;
}
}
}
else {
validate12.errors = [{instancePath:instancePath+"/locales",schemaPath:"#/definitions/locales/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate12.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate12.errors = vErrors;
return errors === 0;
}

export const validateCapabilityExtension = validate15;

function validate15(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func2.call(schema15.properties, key0))){
validate15.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.bounds !== undefined){
let data0 = data.bounds;
const _errs2 = errors;
if(errors === _errs2){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
const _errs4 = errors;
for(const key1 in data0){
if(!(((key1 === "timeout_ms") || (key1 === "max_result_bytes")) || (key1 === "max_invocations_per_turn"))){
validate15.errors = [{instancePath:instancePath+"/bounds",schemaPath:"#/properties/bounds/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data0.timeout_ms !== undefined){
let data1 = data0.timeout_ms;
const _errs5 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate15.errors = [{instancePath:instancePath+"/bounds/timeout_ms",schemaPath:"#/properties/bounds/properties/timeout_ms/type",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.max_result_bytes !== undefined){
let data2 = data0.max_result_bytes;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate15.errors = [{instancePath:instancePath+"/bounds/max_result_bytes",schemaPath:"#/properties/bounds/properties/max_result_bytes/type",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.max_invocations_per_turn !== undefined){
let data3 = data0.max_invocations_per_turn;
const _errs9 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate15.errors = [{instancePath:instancePath+"/bounds/max_invocations_per_turn",schemaPath:"#/properties/bounds/properties/max_invocations_per_turn/type",keyword:"type",params:{type: "integer"}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate15.errors = [{instancePath:instancePath+"/bounds",schemaPath:"#/properties/bounds/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.network !== undefined){
let data4 = data.network;
const _errs11 = errors;
if(typeof data4 !== "string"){
validate15.errors = [{instancePath:instancePath+"/network",schemaPath:"#/properties/network/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data4 === "external")){
validate15.errors = [{instancePath:instancePath+"/network",schemaPath:"#/properties/network/enum",keyword:"enum",params:{allowedValues: schema15.properties.network.enum}}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.target !== undefined){
let data5 = data.target;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data5)){
var valid2 = true;
const len0 = data5.length;
for(let i0=0; i0<len0; i0++){
let data6 = data5[i0];
const _errs15 = errors;
if(errors === _errs15){
if(data6 && typeof data6 == "object" && !Array.isArray(data6)){
let missing0;
if(((data6.parameter === undefined) && (missing0 = "parameter")) || ((data6.kind === undefined) && (missing0 = "kind"))){
validate15.errors = [{instancePath:instancePath+"/target/" + i0,schemaPath:"#/properties/target/items/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs17 = errors;
for(const key2 in data6){
if(!((key2 === "parameter") || (key2 === "kind"))){
validate15.errors = [{instancePath:instancePath+"/target/" + i0,schemaPath:"#/properties/target/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs17 === errors){
if(data6.parameter !== undefined){
const _errs18 = errors;
if(typeof data6.parameter !== "string"){
validate15.errors = [{instancePath:instancePath+"/target/" + i0+"/parameter",schemaPath:"#/properties/target/items/properties/parameter/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid3 = _errs18 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data6.kind !== undefined){
let data8 = data6.kind;
const _errs20 = errors;
if(typeof data8 !== "string"){
validate15.errors = [{instancePath:instancePath+"/target/" + i0+"/kind",schemaPath:"#/properties/target/items/properties/kind/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((((data8 === "path") || (data8 === "url")) || (data8 === "unit")) || (data8 === "app")) || (data8 === "text"))){
validate15.errors = [{instancePath:instancePath+"/target/" + i0+"/kind",schemaPath:"#/properties/target/items/properties/kind/enum",keyword:"enum",params:{allowedValues: schema15.properties.target.items.properties.kind.enum}}];
return false;
}
var valid3 = _errs20 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
else {
validate15.errors = [{instancePath:instancePath+"/target/" + i0,schemaPath:"#/properties/target/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
else {
validate15.errors = [{instancePath:instancePath+"/target",schemaPath:"#/properties/target/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idempotent !== undefined){
const _errs22 = errors;
if(typeof data.idempotent !== "boolean"){
validate15.errors = [{instancePath:instancePath+"/idempotent",schemaPath:"#/properties/idempotent/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.output_trust !== undefined){
let data10 = data.output_trust;
const _errs24 = errors;
if(typeof data10 !== "string"){
validate15.errors = [{instancePath:instancePath+"/output_trust",schemaPath:"#/properties/output_trust/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((data10 === "low") || (data10 === "medium")) || (data10 === "high"))){
validate15.errors = [{instancePath:instancePath+"/output_trust",schemaPath:"#/properties/output_trust/enum",keyword:"enum",params:{allowedValues: schema15.properties.output_trust.enum}}];
return false;
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.side_effects_note !== undefined){
const _errs26 = errors;
if(typeof data.side_effects_note !== "string"){
validate15.errors = [{instancePath:instancePath+"/side_effects_note",schemaPath:"#/properties/side_effects_note/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.preview !== undefined){
const _errs28 = errors;
if(typeof data.preview !== "boolean"){
validate15.errors = [{instancePath:instancePath+"/preview",schemaPath:"#/properties/preview/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.locales !== undefined){
let data13 = data.locales;
const _errs30 = errors;
const _errs31 = errors;
if(errors === _errs31){
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
for(const key3 in data13){
let data14 = data13[key3];
const _errs34 = errors;
if(errors === _errs34){
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
const _errs36 = errors;
for(const key4 in data14){
if(!((key4 === "name") || (key4 === "description"))){
validate15.errors = [{instancePath:instancePath+"/locales/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/locales/additionalProperties/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}}];
return false;
break;
}
}
if(_errs36 === errors){
if(data14.name !== undefined){
const _errs37 = errors;
if(typeof data14.name !== "string"){
validate15.errors = [{instancePath:instancePath+"/locales/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/name",schemaPath:"#/definitions/locales/additionalProperties/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid6 = _errs37 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data14.description !== undefined){
const _errs39 = errors;
if(typeof data14.description !== "string"){
validate15.errors = [{instancePath:instancePath+"/locales/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/description",schemaPath:"#/definitions/locales/additionalProperties/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid6 = _errs39 === errors;
}
else {
var valid6 = true;
}
}
}
}
else {
validate15.errors = [{instancePath:instancePath+"/locales/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/locales/additionalProperties/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs34 === errors;
if(!valid5){
break;
}
}
}
else {
validate15.errors = [{instancePath:instancePath+"/locales",schemaPath:"#/definitions/locales/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate15.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate15.errors = vErrors;
return errors === 0;
}
