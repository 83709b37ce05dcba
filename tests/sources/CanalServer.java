import com.alibaba.otter.canal.connector.core.spi.CanalMQProducer;
import com.alibaba.otter.canal.connector.kafka.producer.CanalKafkaProducer;
import com.alibaba.otter.canal.instance.core.CanalMQConfig;
import com.alibaba.otter.canal.instance.manager.CanalInstanceWithManager;
import com.alibaba.otter.canal.instance.manager.model.Canal;
import com.alibaba.otter.canal.instance.manager.model.CanalParameter;
import com.alibaba.otter.canal.instance.manager.model.CanalParameter.DataSourcing;
import com.alibaba.otter.canal.instance.manager.model.CanalParameter.SourcingType;
import com.alibaba.otter.canal.server.CanalMQStarter;
import com.alibaba.otter.canal.server.embedded.CanalServerWithEmbedded;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Canal's server with its Kafka producer, as its own starter runs them:
 * `java -cp … CanalServer.java KAFKA_HOST:PORT MYSQL_PORT USER PASSWORD BINLOG DATABASE=PARTITIONS …`.
 * Each database is a destination with a topic of its name; with several partitions, rows go to that of
 * their key's hash. It begins at the binary log's first event and ends when its standard input does.
 */
public class CanalServer {
    public static void main(String[] arguments) throws Exception {
        Map<String, Integer> partitions = new LinkedHashMap<>();
        for (int i = 5; i < arguments.length; i++) {
            String[] parts = arguments[i].split("=", 2);
            partitions.put(parts[0], Integer.valueOf(parts[1]));
        }
        CanalServerWithEmbedded server = CanalServerWithEmbedded.instance();
        server.setCanalInstanceGenerator(name -> instance(name, partitions.get(name), arguments));
        Properties mq = new Properties();
        mq.setProperty("kafka.bootstrap.servers", arguments[0]);
        mq.setProperty("kafka.acks", "all");
        mq.setProperty("kafka.max.request.size", "60000000");
        mq.setProperty("canal.mq.flatMessage", "true");
        mq.setProperty("canal.mq.canalBatchSize", "50");
        mq.setProperty("canal.mq.canalGetTimeout", "100");
        mq.setProperty("canal.mq.database.hash", "true");
        mq.setProperty("canal.mq.build.thread.size", "2");
        mq.setProperty("canal.mq.send.thread.size", "2");
        CanalMQProducer producer = new CanalKafkaProducer();
        producer.init(mq);
        server.setMetricsPort(-1);
        server.start();
        partitions.keySet().forEach(server::start);
        CanalMQStarter starter = new CanalMQStarter(producer);
        starter.start(String.join(",", partitions.keySet()));
        while (System.in.read() >= 0) {
            // until the test closes it
        }
        starter.destroy();
        System.exit(0);
    }

    private static Instance instance(String name, int partitions, String[] arguments) {
        CanalParameter parameter = new CanalParameter();
        parameter.setMetaMode(CanalParameter.MetaMode.MEMORY);
        parameter.setStorageMode(CanalParameter.StorageMode.MEMORY);
        parameter.setStorageBatchMode(CanalParameter.BatchMode.MEMSIZE);
        parameter.setMemoryStorageBufferSize(16384);
        parameter.setMemoryStorageBufferMemUnit(1024);
        parameter.setMemoryStorageRawEntry(true);
        parameter.setIndexMode(CanalParameter.IndexMode.MEMORY);
        parameter.setHaMode(CanalParameter.HAMode.HEARTBEAT);
        parameter.setSourcingType(SourcingType.MYSQL);
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[1]));
        parameter.setGroupDbAddresses(List.of(List.of(new DataSourcing(SourcingType.MYSQL, address))));
        parameter.setDbUsername(arguments[2]);
        parameter.setDbPassword(arguments[3]);
        parameter.setDefaultDatabaseName("mysql");
        parameter.setPositions(List.of("{\"journalName\":\"" + arguments[4] + "\",\"position\":4}"));
        parameter.setSlaveId(4000L + Math.abs(name.hashCode() % 1000));
        parameter.setDetectingEnable(false);
        parameter.setConnectionCharset("UTF-8");
        parameter.setConnectionCharsetNumber((byte) 33);
        parameter.setDefaultConnectionTimeoutInSeconds(30);
        parameter.setSendBufferSize(16384);
        parameter.setReceiveBufferSize(16384);
        parameter.setFallbackIntervalInSeconds(60);
        parameter.setTransactionSize(1024);
        parameter.setParallel(true);
        parameter.setTsdbEnable(false);
        parameter.setGtidEnable(false);
        parameter.setDdlIsolation(false);
        parameter.setFilterTableError(false);

        Canal canal = new Canal();
        canal.setId((long) name.hashCode());
        canal.setName(name);
        canal.setCanalParameter(parameter);
        CanalMQConfig config = new CanalMQConfig();
        config.setTopic(name);
        config.setPartition(0);
        if (partitions > 1) {
            config.setPartitionsNum(partitions);
            config.setPartitionHash(".*\\..*:$pk$");
        }
        Instance instance = new Instance(canal, name + "\\..*");
        instance.configure(config);
        return instance;
    }

    private static class Instance extends CanalInstanceWithManager {
        Instance(Canal canal, String filter) {
            super(canal, filter);
        }

        void configure(CanalMQConfig config) {
            this.mqConfig = config;
        }
    }
}
